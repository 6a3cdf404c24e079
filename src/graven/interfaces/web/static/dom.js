// Small helpers to make elements; texts are always texts, never markup.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (["value", "checked", "disabled", "hidden", "selected"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
  return element;
}

export const h = (tag, properties, ...children) =>
  fill(document.createElement(tag), properties, children);
export const s = (tag, properties, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);

export const number = (value) => Number(value).toLocaleString("en-GB");
export const percent = (value, digits = 1) =>
  value === null || value === undefined ? "–" : (100 * value).toFixed(digits);
export const plain = (value, digits = 3) =>
  value === null || value === undefined ? "–" : value.toFixed(digits);

export function seconds(value) {
  return value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;
}

let toastTimer = 0;
export function toast(text, kind = "error") {
  const box = $("#toast");
  box.textContent = text;
  box.dataset.kind = kind;
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { box.hidden = true; }, 7000);
}

export function announce(text) { $("#announce").textContent = text; }

export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 5000);
}

// Buttons of role "tab": one at a time, arrow keys to go between them.
export function tabs(list, onChange) {
  const buttons = $$("[role=tab]", list);
  const choose = (button, focus = false) => {
    for (const each of buttons) {
      const on = each === button;
      each.setAttribute("aria-selected", String(on));
      each.tabIndex = on ? 0 : -1;
      document.getElementById(each.getAttribute("aria-controls")).hidden = !on;
    }
    if (focus) button.focus();
    onChange?.(button.id);
  };
  list.addEventListener("click", (event) => {
    const button = event.target.closest("[role=tab]");
    if (button) choose(button);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = buttons.indexOf(document.activeElement);
    choose(buttons[(at + step + buttons.length) % buttons.length], true);
    event.preventDefault();
  });
  return (id) => choose(document.getElementById(id));
}
