// The extension with an editor that only records what it is asked for, and the real client and server.
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { server, argumentsFor } = require("../server");

const slam = process.env.SLAM || "slam";
const missing = (() => {
  try {
    execFileSync(slam, ["--version"]);
    return false;
  } catch {
    return `no ${slam}`;
  }
})();

test("the server gets the options of the settings", () => {
  assert.deepStrictEqual(server("", undefined, undefined), { command: "slam", args: ["lsp"], options: {} });
  assert.deepStrictEqual(server("/x/slam", ["--check", "all", "", 3], "/w"), {
    command: "/x/slam",
    args: ["lsp", "--check", "all"],
    options: { cwd: "/w" },
  });
});

test("commands are about C files", () => {
  const uri = { scheme: "file", toString: () => "file:///a.c" };
  assert.deepStrictEqual(argumentsFor("slam.stop", { languageId: "c", uri }), {
    command: "slam.stop",
    arguments: ["file:///a.c"],
  });
  assert.strictEqual(argumentsFor("slam.stop", { languageId: "rust", uri }), undefined);
  assert.strictEqual(argumentsFor("slam.stop", undefined), undefined);
});

test("every command of package.json is there", () => {
  const json = JSON.parse(fs.readFileSync(path.join(__dirname, "..", "package.json"), "utf8"));
  const text = fs.readFileSync(path.join(__dirname, "..", "extension.js"), "utf8");
  for (const { command } of json.contributes.commands) assert.ok(text.includes(`"${command}"`), command);
});

test("the server checks a file", { skip: missing }, async () => {
  const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = require("vscode-jsonrpc/node");
  const { spawn } = require("node:child_process");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "slam-vscode-"));
  const file = path.join(folder, "a.c");
  const text = "void reach_error(void);\nint main(void) { reach_error(); }\n";
  fs.writeFileSync(file, text);
  const { command, args, options } = server(slam, ["--time-limit", "60s"], folder);
  const child = spawn(command, args, options);
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const found = new Promise((resolve) => connection.onNotification("textDocument/publishDiagnostics", resolve));
  connection.listen();
  await connection.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
  await connection.sendNotification("initialized", {});
  const uri = `file://${file}`;
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "c", version: 1, text },
  });
  const { diagnostics } = await found;
  assert.strictEqual(diagnostics.length, 1);
  assert.strictEqual(diagnostics[0].range.start.line, 1);
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  await new Promise((resolve) => child.on("exit", resolve));
  fs.rmSync(folder, { recursive: true });
});
