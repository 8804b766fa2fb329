
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const [query, level, version, updates, shown, nothing] = ["q", "level", "version", "updates", "shown", "nothing"].map(byId);
  const links = new Map([...document.querySelectorAll("nav li")].map((one) => [one.dataset.for, one]));
  // Read once, so that a key stroke costs no look at the page.
  const groups = [...document.querySelectorAll("main section.group")].map((element) => ({
    element,
    quiet: element.querySelector(".silent"),
    articles: [...element.querySelectorAll("article")].map((article) => {
      const words = article.dataset.words.toLowerCase();
      return {
        element: article,
        link: links.get(article.id),
        rows: [...article.querySelectorAll("tbody")].map((row) => ({
          element: row,
          text: words + " " + row.textContent.toLowerCase(),
          levels: row.dataset.levels.split(" "),
          updates: "updates" in row.dataset,
        })),
      };
    }),
  }));
  const set = (element, hidden) => { if (element && element.hidden !== hidden) element.hidden = hidden; };

  const fits = (row, words) =>
    words.every((word) => row.text.includes(word)) &&
    (!updates.checked || row.updates) &&
    (!(level.value || version.value) || row.levels.some((one) => {
      const [at, state] = one.split(":");
      return (!version.value || at === version.value) && (!level.value || state === level.value);
    }));

  const apply = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = !words.length && !level.value && !version.value && !updates.checked;
    let fields = 0, kinds = 0;
    for (const group of groups) {
      let any = false;
      for (const article of group.articles) {
        let count = 0;
        for (const row of article.rows) {
          const fit = all || fits(row, words);
          set(row.element, !fit);
          count += fit;
        }
        set(article.element, !count);
        set(article.link, !count);
        if (count) { any = true; kinds += 1; fields += count; }
      }
      const quiet = group.quiet !== null && !level.value && !version.value && !updates.checked &&
        words.every((word) => group.quiet.textContent.toLowerCase().includes(word));
      set(group.quiet, !quiet);
      const seen = any || quiet || (all && !group.articles.length);
      set(group.element, !seen);
    }
    for (const one of document.querySelectorAll("nav details")) set(one, !one.querySelector("li:not([hidden])"));
    shown.textContent = `${fields} field${fields === 1 ? "" : "s"} in ${kinds} type${kinds === 1 ? "" : "s"}`;
    nothing.hidden = fields > 0 || groups.some((group) => !group.element.hidden);
  };
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; apply(); });
  };

  const move = (by) => {
    const rows = [...document.querySelectorAll("main tbody:not([hidden])")].filter((row) => !row.closest("[hidden]"));
    const at = rows.indexOf(document.activeElement);
    if (by < 0 && at <= 0) { query.focus(); return; }
    const next = rows[at + by];
    if (next) { next.focus({ preventScroll: true }); next.scrollIntoView({ block: "nearest" }); }
  };
  const typing = (element) => element && /^(input|select|textarea)$/i.test(element.tagName) && element !== query;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(document.activeElement)) return;
    const row = document.activeElement && document.activeElement.tagName === "TBODY" ? document.activeElement : null;
    const searching = document.activeElement === query;
    if (event.key === "/" && !searching) { query.focus(); query.select(); }
    else if (event.key === "Escape" && (searching || row)) { query.value = ""; query.focus(); apply(); }
    else if (event.key === "ArrowDown" && (searching || row)) move(1);
    else if (event.key === "ArrowUp" && row) move(-1);
    else if (event.key === "Enter" && row) location.hash = row.querySelector(".path").getAttribute("href");
    else return;
    event.preventDefault();
  });
  const reveal = () => {
    let id;
    try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const target = id && byId(id);
    if (!target) return;
    if (target.hidden || target.closest("[hidden]")) {
      query.value = level.value = version.value = "";
      updates.checked = false;
      apply();
    }
    const folded = target.closest("details");
    if (folded) folded.open = true;
    target.scrollIntoView();
  };
  const asked = new URLSearchParams(location.search);
  query.value = asked.get("q") || "";
  for (const select of [level, version]) {
    const wanted = asked.get(select.id);
    if (wanted && [...select.options].some((option) => option.value === wanted)) select.value = wanted;
  }
  query.addEventListener("input", soon);
  for (const one of [level, version, updates]) one.addEventListener("change", soon);
  addEventListener("hashchange", reveal);
  byId("tools").hidden = false;
  apply();
  reveal();
})();
