// The extension for VS Code: starts `slam lsp` and gives its commands to the editor.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { server, argumentsFor } = require("./server");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("slam");
  client = new LanguageClient("slam", "slam", server(settings.get("path"), settings.get("options"), folder()), {
    documentSelector: [{ scheme: "file", language: "c" }],
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`slam cannot be started (setting slam.path): ${error.message ?? error}`);
  }
}

// Relative options, such as -I include, are meant from the first folder that is open.
function folder() {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}

async function stop() {
  const old = client;
  client = undefined;
  await old?.stop().catch(() => {});
}

async function send(command) {
  const given = argumentsFor(command, vscode.window.activeTextEditor?.document);
  if (!client || !given) {
    vscode.window.showInformationMessage("slam checks C files: open one, and save it.");
    return;
  }
  try {
    await client.sendRequest("workspace/executeCommand", given);
  } catch (error) {
    vscode.window.showErrorMessage(`slam: ${error.message ?? error}`);
  }
}

async function activate(context) {
  const command = (name, action) => context.subscriptions.push(vscode.commands.registerCommand(name, action));
  command("slam.checkThisFile", () => send("slam.checkFile"));
  command("slam.stopThisCheck", () => send("slam.stop"));
  command("slam.restart", async () => {
    await stop();
    await start();
  });
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("slam")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
