// Helpers to create elements and to format values. Strings become text nodes, never markup.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const DOM_PROPERTIES = ["value", "checked", "disabled", "hidden", "selected"];
const TOAST_MILLISECONDS = 7000;

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) setStyle(element, key, text);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (DOM_PROPERTIES.includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
  return element;
}

function setStyle(element, key, text) {
  if (key.startsWith("--")) element.style.setProperty(key, text);
  else element.style[key] = text;
}

// Create an HTML element (h) or an SVG element (s).
export const h = (tag, properties, ...children) =>
  fill(document.createElement(tag), properties, children);
export const s = (tag, properties, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);

export const formatNumber = (value) => Number(value).toLocaleString("en-GB");
export const formatPercent = (value, digits = 1) =>
  value === null || value === undefined ? "–" : (100 * value).toFixed(digits);
export const formatDecimal = (value, digits = 3) =>
  value === null || value === undefined ? "–" : value.toFixed(digits);
export const formatSeconds = (value) =>
  value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;

// A spec, which may be broken between its parts but not within words or numbers (1e-6).
export const specText = (text) => h("code", { class: "spec-text" },
  String(text).split(/(?<=[(,+])/).map((part) => h("span", null, part)));

// A title, in which a word such as TicTacChess may be broken before a capital letter.
export const titleNodes = (text) => String(text).split(/(?<=[a-z])(?=[A-Z])/)
  .flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

let toastTimer = 0;
export function hideToast() { $("#toast").hidden = true; }
export function toast(text, kind = "error") {
  const box = $("#toast");
  box.textContent = text;
  box.dataset.kind = kind;
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { box.hidden = true; }, TOAST_MILLISECONDS);
}

// Read a text aloud in screen readers.
export function announce(text) { $("#announce").textContent = text; }

export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 5000);
}

// Make a tab list of buttons with role "tab"; arrow keys move between them. Returns a function that
// selects a tab by id.
export function makeTabs(list, onChange) {
  const buttons = $$("[role=tab]", list);
  const select = (button, focus = false) => {
    for (const tab of buttons) {
      const isSelected = tab === button;
      tab.setAttribute("aria-selected", String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !isSelected;
    }
    if (focus) button.focus();
    onChange?.(button.id);
  };
  list.addEventListener("click", (event) => {
    const button = event.target.closest("[role=tab]");
    if (button) select(button);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const index = buttons.indexOf(document.activeElement);
    select(buttons[(index + step + buttons.length) % buttons.length], true);
    event.preventDefault();
  });
  return (id) => select(document.getElementById(id));
}
