"use strict";
// Links that leave the book lead to files of the project, which stay Markdown: read the book where it is built.
// The reference is a file of another folder, and its links begin there.
for (const link of document.querySelectorAll('main a[href^="../"]')) {
  link.href = link.getAttribute("href").replace(/^\.\.\/docs\//, "../../").replace(/\.html(?=#|$)/, ".md");
}
