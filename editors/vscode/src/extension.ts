// Starts `hipport lsp` for the files it knows, and adds its commands to the palette.

import { commands, ExtensionContext, window, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

const LANGUAGES = ["cuda-cpp", "cpp", "c", "python", "cmake", "makefile", "shellscript", "pip-requirements"];

let client: LanguageClient | undefined;
let last: Promise<void> = Promise.resolve();

// A folder that becomes trusted changes the configuration too: one start after the other.
function restart(): Promise<void> {
  last = last.then(start);
  return last;
}

async function start(): Promise<void> {
  await stop();
  const settings = workspace.getConfiguration("hipport");
  const command = settings.get<string>("command", "hipport");
  const options = settings.get<string[]>("arguments", []);
  // A configuration can name folders with rules: that of a stranger is not read.
  const trust = workspace.isTrusted ? [] : ["--isolated"];
  client = new LanguageClient(
    "hipport",
    "hipport",
    { command, args: ["lsp", ...options, ...trust] },
    {
      documentSelector: LANGUAGES.flatMap((language) => [
        { scheme: "file", language },
        { scheme: "untitled", language },
      ]),
      synchronize: { fileEvents: workspace.createFileSystemWatcher("**/{hipport,pyproject}.toml") },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    void window.showErrorMessage(
      `hipport: ${command} does not start (${reason}). Install it with pip install 'hipport[lsp]', ` +
        "or set hipport.command.",
    );
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  try {
    await running?.stop();
  } catch {
    // It ended before, which is what is wanted.
  }
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("hipport.restart", restart),
    commands.registerCommand("hipport.audit", async () => {
      await last;
      await commands.executeCommand("hipport.auditWorkspace");
    }),
    workspace.onDidGrantWorkspaceTrust(restart),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("hipport")) {
        void restart();
      }
    }),
  );
  await restart();
}

export function deactivate(): Promise<void> {
  return last.then(stop);
}
