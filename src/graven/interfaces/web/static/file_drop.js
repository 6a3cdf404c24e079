// Files that are dropped anywhere on the page.

import { $ } from "./dom.js";

// Call onFile(name, text) for a dropped file; a frame is shown while a file is dragged.
export function onFileDropped(onFile) {
  let depth = 0; // dragenter and dragleave are also fired for every element below
  const showFrame = (isShown) => { $("#drop").hidden = !isShown; };
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragenter", (event) => { if (hasFiles(event)) { depth += 1; showFrame(true); } });
  addEventListener("dragleave", (event) => { if (hasFiles(event) && (depth -= 1) <= 0) showFrame(false); });
  addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
  addEventListener("drop", async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    showFrame(false);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file.name, await file.text());
  });
}
