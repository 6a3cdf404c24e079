// The first screen: one click starts a game against the default agent.

import { $, h } from "./dom.js";

const FIRST_GAME = { spec: "go(size=9)", title: "Go 9x9" };

export class StartScreen {
  // start(spec, title) starts a game; openSetup() opens the dialog; openFile(name, text) opens a file.
  constructor({ start, openSetup, openFile, resume }) {
    this.start = start;
    $("#play-now").addEventListener("click", () => start(FIRST_GAME.spec, FIRST_GAME.title));
    $("#all-games").addEventListener("click", openSetup);
    $("#continue-game").addEventListener("click", resume);
    $("#open-file").addEventListener("change", async (event) => {
      const [file] = event.target.files;
      if (file) openFile(file.name, await file.text());
      event.target.value = "";
    });
  }

  // The catalogue has been loaded: show the games with their pictures, the user's own games first.
  fill({ featured, games, default_agent: agent }) {
    const [first, ...others] = featured;
    $("#play-now").textContent = `Play ${first.title} against ${agent.replace(/[(+].*$/s, "").toUpperCase()}`;
    $("#hero-board").replaceChildren(picture(first.svg));
    const own = games.filter((game) => game.user_defined)
      .map((game) => this.card(game.name, game.title, game.summary, null));
    const cards = others.map(({ spec, title, about, svg }) => this.card(spec, title, about, svg));
    $("#featured").replaceChildren(...own, ...cards);
  }

  card(spec, title, about, svg) {
    return h("button", { type: "button", class: "game-card", onclick: () => this.start(spec, title) },
      h("span", { class: "thumbnail", "aria-hidden": "true" }, svg ? picture(svg) : h("span", { class: "initial" }, title[0].toUpperCase())),
      h("strong", {}, title), h("small", {}, about));
  }

  // `current` is the title of the game in progress, if there is one.
  show(current) {
    $("#continue-game").hidden = !current;
    $("#continue-game").textContent = `Continue ${current ?? ""}`;
    $("#start").hidden = false;
    $("#table").hidden = true;
  }

  hide() {
    $("#start").hidden = true;
    $("#table").hidden = false;
  }
}

let pictureCount = 0;

// A drawing of the server as an element, with ids that are unique on the page.
function picture(svg) {
  const unique = svg.replaceAll("graven-stone-", `graven-picture-${pictureCount += 1}-`);
  const root = document.importNode(new DOMParser().parseFromString(unique, "image/svg+xml").documentElement, true);
  root.removeAttribute("width");
  root.removeAttribute("height");
  root.removeAttribute("role");
  $("title", root)?.remove();
  $(".graven-cells", root)?.remove();
  return root;
}
