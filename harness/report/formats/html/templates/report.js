// Filters, links, keys and folded details of the findings. Texts come from the page, which escaped them; none is code.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  root.classList.add("js");
  const say = (text) => { $("said").textContent = text; };

  // ---- light and dark
  const theme = $("theme");
  const stored = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const store = (name, value) => { try { localStorage.setItem(name, value); } catch { /* nothing is kept there */ } };
  const paint = (name) => {
    if (name) { root.dataset.theme = name; } else { delete root.dataset.theme; }
    theme.value = name;
  };
  paint({ light: "light", dark: "dark" }[stored("harness-theme")] || "");
  theme.addEventListener("change", () => { paint(theme.value); store("harness-theme", theme.value); });
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const turn = () => { paint(isDark() ? "light" : "dark"); store("harness-theme", theme.value); say(`${theme.value} theme`); };

  // ---- help
  const help = $("help");
  const keysOn = $("keys-on");
  keysOn.checked = stored("harness-keys") !== "off";
  keysOn.addEventListener("change", () => store("harness-keys", keysOn.checked ? "on" : "off"));
  $("help-open").addEventListener("click", () => help.showModal());

  // ---- copying
  const copied = (node) => {
    if (node.dataset.copy === "command") { return node.parentElement.querySelector(".command").textContent; }
    return [...node.closest("figure").querySelectorAll(".line")].map((line) => line.textContent).join("\n");
  };
  const byHand = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };
  const copy = async (node) => {
    const text = copied(node);
    let done = true;
    try { await navigator.clipboard.writeText(text); } catch { done = byHand(text); node.focus(); }
    node.textContent = done ? "Copied" : "Could not copy";
    say(node.textContent);
    setTimeout(() => { node.textContent = "Copy"; }, 2000);
  };
  document.addEventListener("click", (event) => {
    const node = event.target.closest("button.copy");
    if (node) { copy(node); }
  });

  // ---- details that are packed until somebody opens them
  const chunks = document.querySelectorAll("script.chunk");
  const unpacked = new Map();
  const unpack = (number) => {
    if (!unpacked.has(number)) {
      if (unpacked.size > 3) { unpacked.delete(unpacked.keys().next().value); }
      const bytes = Uint8Array.from(atob(chunks[number].textContent), (char) => char.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      unpacked.set(number, new Response(stream).json());
    }
    return unpacked.get(number);
  };
  const fill = async (details) => {
    const inside = details.querySelector(".inside");
    const { packed } = inside.dataset;
    if (!packed) { return; }
    delete inside.dataset.packed;
    const [chunk, number] = packed.split(":").map(Number);
    try {
      inside.innerHTML = (await unpack(chunk))[number];
    } catch {
      inside.textContent = "This browser cannot unpack the details. The report file has them.";
    }
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.matches("details.finding[open], details.packed[open]")) { fill(event.target); }
    if (event.target.matches("details.far")) {  // old and new object stay at the same height
      const number = [...event.target.parentElement.children].filter((node) => node.matches(".far")).indexOf(event.target);
      event.target.closest(".two")?.querySelectorAll(".lines").forEach((lines) => {
        const twin = [...lines.children].filter((node) => node.matches(".far"))[number];
        if (twin) { twin.open = event.target.open; }
      });
    }
  }, true);

  // ---- filters
  const findings = [...document.querySelectorAll("details.finding")];
  const tools = $("tools");
  if (!tools) {  // nothing to filter
    const unfold = () => { const node = $(location.hash.slice(1)); if (node && node.matches("details")) { node.open = true; } };
    window.addEventListener("hashchange", unfold);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !keysOn.checked) { return; }
      if (event.key === "?") { help.showModal(); } else if (event.key === "t") { turn(); }
    });
    unfold();
    return;
  }
  const FEW = 5;  // findings of a place that are listed before somebody asks for more
  const index = JSON.parse($("index").textContent);
  const place = new Map(index.map((entry, number) => [`f-${entry[0]}`, number]));
  const search = $("search");
  const facets = [["severity", 1], ["cause", 2], ["kind", 3], ["state", 4]].filter(([name]) => name === "severity" || $(name));
  const boxes = [...tools.querySelectorAll("input[name=severity]")];
  const sections = [...document.querySelectorAll("section.group")].map((node) => ({ node, more: node.querySelector("button.more"), whole: false, own: [] }));
  const owner = new Map(sections.map((section) => [section.node, section]));
  findings.forEach((finding, number) => owner.get(finding.parentElement).own.push(number));
  const causes = [...document.querySelectorAll("section.cause")];
  let linked = -1;
  let visible = [];

  const chosen = (name) => {
    if (name !== "severity") { return $(name).value ? new Set([$(name).value]) : null; }
    const on = boxes.filter((box) => box.checked);
    return on.length === boxes.length ? null : new Set(on.map((box) => box.value));
  };
  const some = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
  const tolerated = $("tolerated-count");
  const show = (node, shown) => { if (node.hidden === shown) { node.hidden = !shown; } };

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = facets.map(([name, at]) => [chosen(name), at]);
    const counts = facets.map(() => new Map());
    const fits = index.map((entry) => {
      const missing = [];
      wanted.forEach(([values, at], number) => { if (values && !values.has(entry[at])) { missing.push(number); } });
      if (missing.length > 1) { return false; }
      if (words.length) {
        const text = `${entry[0]} ${entry[1]} ${entry[2]} ${entry[3].toLowerCase()} ${entry[5]}`;
        if (!words.every((word) => text.includes(word))) { return false; }
      }
      // A value of a filter is counted as if that filter were off and all others on.
      facets.forEach(([, at], number) => {
        if (!missing.length || missing[0] === number) { counts[number].set(entry[at], (counts[number].get(entry[at]) || 0) + 1); }
      });
      return !missing.length;
    });
    let total = 0;
    let places = 0;
    const fitted = new Map();
    visible = [];
    sections.forEach((section) => {
      const fitting = section.own.filter((number) => fits[number]);
      const told = fitting.filter((number, rank) => section.whole || rank < FEW || number === linked);
      if (section.own.includes(linked) && !told.includes(linked)) { told.push(linked); }
      const shown = new Set(told);
      section.own.forEach((number) => show(findings[number], shown.has(number)));
      show(section.node, shown.size > 0);
      if (section.more) {
        show(section.more, fitting.length > told.length);
        section.more.textContent = `Show ${(fitting.length - told.length).toLocaleString("en")} more like it`;
      }
      total += fitting.length;
      places += fitting.length > 0;
      fitted.set(section.node, fitting.length);
      visible.push(...section.own.filter((number) => shown.has(number)));
    });
    causes.forEach((cause) => {
      show(cause, cause.querySelector("section.group:not([hidden])") !== null);
      const sizes = [...cause.querySelectorAll("section.group")].map((node) => fitted.get(node)).filter(Boolean);
      cause.querySelector(".of-cause").textContent = `${some(sizes.reduce((sum, size) => sum + size, 0), "finding")} in ${some(sizes.length, "group")}`;
    });
    if (tolerated) {
      const number = sections.filter(({ node }) => tolerated.parentElement.parentElement.contains(node)).reduce((sum, { node }) => sum + fitted.get(node), 0);
      tolerated.textContent = some(number, "finding");
      show(tolerated.parentElement.parentElement, number > 0);
    }
    const filtered = words.length > 0 || wanted.some(([values]) => values);
    $("shown").textContent = `${total.toLocaleString("en")} of ${index.length.toLocaleString("en")} findings, in ${some(places, "group")}`;
    show($("no-match"), visible.length === 0);
    show(tools.querySelector(".reset"), filtered);
    facets.forEach(([name], number) => {
      const of = (value) => (counts[number].get(value) || 0).toLocaleString("en");
      if (name === "severity") {
        boxes.forEach((box) => { box.parentElement.querySelector(".n").textContent = of(box.value); });
      } else {
        [...$(name).options].slice(1).forEach((option) => { option.textContent = `${option.dataset.name} (${of(option.value)})`; });
      }
    });
  };
  facets.filter(([name]) => name !== "severity").forEach(([name]) => {
    [...$(name).options].forEach((option) => { option.dataset.name = option.textContent; });
  });

  // ---- the address: #f-1f2e3d4c5b6a&severity=verdict&q=replicas
  const filters = () => {
    const told = new URLSearchParams();
    if (search.value) { told.set("q", search.value); }
    facets.forEach(([name]) => { const values = chosen(name); if (values) { told.set(name, [...values].join(",")); } });
    return told.toString();
  };
  const address = (target) => `#${[target, filters()].filter(Boolean).join("&")}`;
  const target = () => location.hash.slice(1).split("&").find((part) => part && !part.includes("=")) || "";
  const remember = () => history.replaceState(null, "", address(target()));
  const change = () => { linked = -1; apply(); history.replaceState(null, "", address("")); };
  const read = () => {
    const told = new URLSearchParams(location.hash.slice(1).split("&").filter((part) => part.includes("=")).join("&"));
    search.value = told.get("q") || "";
    const severities = told.get("severity");
    boxes.forEach((box) => { box.checked = severities === null || severities.split(",").includes(box.value); });
    facets.filter(([name]) => name !== "severity").forEach(([name]) => {
      $(name).value = told.get(name) || "";
      if ($(name).selectedIndex < 0) { $(name).value = ""; }
    });
  };
  const reveal = async () => {
    read();
    let name = target();
    try { name = decodeURIComponent(name); } catch { /* it stands as it is */ }
    linked = place.has(name) ? place.get(name) : -1;
    apply();
    findings.forEach((finding) => finding.classList.toggle("linked", finding === findings[linked]));
    if (linked >= 0) {
      const finding = findings[linked];
      finding.open = true;
      await fill(finding);
      finding.scrollIntoView({ block: "start", behavior: "instant" });
      finding.querySelector("summary").focus({ preventScroll: true });
    } else if (name && $(name)) {
      const node = $(name);
      if (node.matches("details")) { node.open = true; }
      node.scrollIntoView();
      (node.querySelector(":scope > summary") || node).focus({ preventScroll: true });
    }
  };
  window.addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    const reset = event.target.closest("button.reset");
    const more = event.target.closest("button.more");
    if (link) {
      event.preventDefault();
      const next = address(link.getAttribute("href").slice(1));
      if (next === location.hash) { reveal(); } else { location.hash = next; }
    } else if (reset) {
      search.value = "";
      boxes.forEach((box) => { box.checked = true; });
      facets.filter(([name]) => name !== "severity").forEach(([name]) => { $(name).value = ""; });
      change();
      search.focus();
    } else if (more) {
      const section = owner.get(more.parentElement);
      const first = section.own.find((number) => findings[number].hidden);
      section.whole = true;
      apply();
      if (first !== undefined) { findings[first].querySelector("summary").focus(); }
    }
  });
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(change, 60); });
  tools.addEventListener("change", (event) => { if (event.target !== search) { change(); } });

  // ---- keys
  const step = (by) => {
    if (!visible.length) { return; }
    const here = document.activeElement.closest("details.finding");
    const at = here ? visible.indexOf(findings.indexOf(here)) : (by > 0 ? -1 : visible.length);
    const next = findings[visible[Math.min(visible.length - 1, Math.max(0, at + by))]];
    const summary = next.querySelector("summary");
    summary.focus({ preventScroll: true });
    summary.scrollIntoView({ block: "nearest", behavior: "instant" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) { return; }
    const at = document.activeElement;
    const typing = at.matches("input[type=search], textarea, select");
    const here = at.closest("details.finding");
    if (event.key === "Escape") {
      if (at === search) {
        search.value = "";
        change();
        search.blur();
      } else if (here && here.open) {
        here.open = false;
        here.querySelector("summary").focus();
      }
      return;
    }
    if (typing || !keysOn.checked) { return; }
    const keys = {
      "/": () => { search.focus(); search.select(); },
      "?": () => help.showModal(),
      j: () => step(1),
      k: () => step(-1),
      t: turn,
      c: () => { const button = here && here.querySelector("[data-copy=command]"); if (button) { copy(button); } },
    };
    if (Object.hasOwn(keys, event.key)) { event.preventDefault(); keys[event.key](); }
  });
  reveal();
  findings.filter((finding) => finding.open).forEach(fill);
})();
