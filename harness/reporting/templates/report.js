
(function () {
  "use strict";
  var tools = document.getElementById("tools");
  if (!tools) { return; }
  tools.hidden = false;
  var search = document.getElementById("search");
  var cause = document.getElementById("cause");
  var shown = document.getElementById("shown");
  var none = document.getElementById("no-match");
  var boxes = Array.prototype.slice.call(document.querySelectorAll("input[data-severity]"));
  var groups = Array.prototype.slice.call(document.querySelectorAll("section.group"));
  function apply() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var off = {};
    boxes.forEach(function (box) { if (!box.checked) { off[box.dataset.severity] = true; } });
    var total = 0;
    groups.forEach(function (group) {
      var here = 0;
      group.querySelectorAll("details.finding").forEach(function (finding) {
        var fits = !off[finding.dataset.severity] && (!cause.value || finding.dataset.cause === cause.value) &&
          words.every(function (word) { return finding.dataset.words.indexOf(word) >= 0; });
        finding.hidden = !fits;
        if (fits) { here += 1; }
      });
      group.hidden = here === 0;
      total += here;
    });
    shown.textContent = total + " shown";
    none.hidden = total !== 0;
  }
  search.addEventListener("input", apply);
  cause.addEventListener("change", apply);
  boxes.forEach(function (box) { box.addEventListener("change", apply); });
  function reveal() {
    var found = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (found && found.tagName === "DETAILS") { found.open = true; found.scrollIntoView(); }
  }
  window.addEventListener("hashchange", reveal);
  reveal();
  apply();
}());

(function () {
  "use strict";
  var tools = document.getElementById("rule-tools");
  if (!tools) { return; }
  tools.hidden = false;
  var search = document.getElementById("rule-search");
  var state = document.getElementById("rule-state");
  var shown = document.getElementById("rules-shown");
  var kinds = Array.prototype.slice.call(document.querySelectorAll("details.rules"));
  function apply() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var total = 0;
    kinds.forEach(function (kind) {
      var name = kind.querySelector("summary strong").textContent.toLowerCase();
      var here = 0;
      kind.querySelectorAll("tr[data-s]").forEach(function (row) {
        var text = words.length ? name + " " + row.textContent.toLowerCase() : "";
        var fits = row.dataset.s.indexOf(state.value) >= 0 &&
          words.every(function (word) { return text.indexOf(word) >= 0; });
        row.hidden = !fits;
        if (fits) { here += 1; }
      });
      kind.hidden = here === 0;
      total += here;
    });
    shown.textContent = total + " shown";
  }
  search.addEventListener("input", apply);
  state.addEventListener("change", apply);
  apply();
}());
