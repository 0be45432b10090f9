// What does not need the editor, and is tested without it.
"use strict";

// How the server is started.
function server(path, options, cwd) {
  const given = Array.isArray(options) ? options.filter((word) => typeof word === "string" && word !== "") : [];
  return { command: path || "slam", args: ["lsp", ...given], options: cwd ? { cwd } : {} };
}

// The parameters of a command of the server for a document; nothing for what is no C file.
function argumentsFor(command, document) {
  if (!document || document.languageId !== "c" || document.uri.scheme !== "file") return undefined;
  return { command, arguments: [document.uri.toString()] };
}

module.exports = { server, argumentsFor };
