// Before anything is drawn: the theme that was chosen, else the system's.
const chosen = (() => { try { return localStorage.getItem("graven-theme"); } catch { return null; } })();
if (chosen) document.documentElement.dataset.theme = chosen;
