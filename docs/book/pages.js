"use strict";
// Links that leave the book lead to files of the project, which stay Markdown: read the book where it is built.
for (const link of document.querySelectorAll('main a[href^="../../"]')) {
  link.href = link.getAttribute("href").replace(/\.html(?=#|$)/, ".md");
}

// Equations and Boolean programs in colour.
const words = {
  fp: "use param const enum range record keyed symbolic rel input mu nu let query trace verdict require hint if exists "
    + "forall some each in by at with given outside within true false bool unsafe safe bounded unknown",
  bp: "decl void bool begin end if then else elsif fi while do od skip return goto assume assert constrain enforce "
    + "abortif dead thread init own passive atomic_begin atomic_end start_thread end_thread schoose print T F",
};
for (const [name, keyword] of Object.entries(words)) {
  hljs.registerLanguage(name, hljs => ({
    keywords: { keyword },
    contains: [hljs.COMMENT("//", "$"), hljs.QUOTE_STRING_MODE, { className: "number", begin: "\\b\\d+\\b" }],
  }));
  document.querySelectorAll(`code.language-${name}`).forEach(block => hljs.highlightBlock(block));
}
