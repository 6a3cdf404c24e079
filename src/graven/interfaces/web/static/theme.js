// Loaded before anything is drawn: set the theme that the user chose; the default is the system's.
const stored = (() => { try { return localStorage.getItem("graven-theme"); } catch { return null; } })();
if (stored) document.documentElement.dataset.theme = stored;
