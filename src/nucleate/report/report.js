"use strict";
const all = (selector) => [...document.querySelectorAll(selector)];
const claims = all(".claim");
const list = document.querySelector(".claims");
const toggle = document.querySelector(".controls button");
const search = document.querySelector(".controls input");

// Filter by verdict (the tiles) and by words (the box).
function filter() {
  const off = all('.tile[aria-pressed="false"]').map((tile) => tile.dataset.verdict);
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const claim of claims) {
    const text = claim.textContent.toLowerCase();
    claim.hidden = off.includes(claim.dataset.verdict) || !words.every((word) => text.includes(word));
  }
  const shown = claims.filter((claim) => !claim.hidden).length;
  document.querySelector(".matching").textContent = shown === claims.length ? "" : `${shown} of ${claims.length} shown`;
}
for (const tile of all(".tile")) {
  tile.addEventListener("click", () => {
    tile.setAttribute("aria-pressed", String(tile.getAttribute("aria-pressed") === "false"));
    filter();
  });
}
search?.addEventListener("input", filter);

// Sort by a column; a second click turns the order round.
for (const button of all(".columns button")) {
  let direction = -1;
  button.addEventListener("click", () => {
    direction = -direction;
    const key = (claim) => Number(claim.dataset[button.dataset.key]);
    list.append(...[...claims].sort((a, b) => direction * (key(a) - key(b))));
  });
}

toggle?.addEventListener("click", () => {
  const open = claims.some((claim) => !claim.open);
  for (const claim of claims) claim.open = open;
  toggle.textContent = open ? "Close all" : "Open all";
});

// A link to a claim or a run opens it, and shows it even if it was filtered out.
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  target.hidden = false;
  if (target.tagName === "DETAILS") target.open = true;
  target.scrollIntoView({ behavior: "instant" });
}
addEventListener("hashchange", reveal);
reveal();

// Data are packed in the page; they are unpacked where the browser can.
for (const link of "DecompressionStream" in window ? all("a.data") : []) {
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    const bytes = Uint8Array.from(atob(link.href.split(",")[1]), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const file = document.createElement("a");
    file.download = link.download.replace(/\.gz$/, "");
    file.href = URL.createObjectURL(await new Response(plain).blob());
    file.click();
    setTimeout(() => URL.revokeObjectURL(file.href), 1000);
  });
}

// Enlarge a figure; any click or Escape closes it.
const dialog = document.querySelector("dialog");
for (const button of all("figure button")) {
  button.addEventListener("click", () => {
    const [large, small] = [dialog.querySelector("img"), button.querySelector("img")];
    [large.src, large.alt] = [small.src, small.alt];
    dialog.showModal();
  });
}
dialog.addEventListener("click", () => dialog.close());

// On paper nothing can be opened, so everything is.
let closed = [];
addEventListener("beforeprint", () => {
  closed = all("details:not([open])");
  for (const details of closed) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of closed) details.open = false;
});
