// Drives `emendo acp` with the official TypeScript library and prints what the user of
// an editor would have seen as one JSON object: node client.mjs EMENDO FOLDER.
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";

const [program, folder] = process.argv.slice(2);
const unsaved = new Map([[join(folder, "a.txt"), "one\ntwo, unsaved\n"]]);
const seen = { updates: [], questions: [], forms: 0, reads: 0, writes: 0, stopReasons: [], text: "" };

const app = client({ name: "emendo-e2e" })
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    seen.questions.push({ title: params.toolCall.title, content: params.toolCall.content, kinds: params.options.map((o) => o.kind) });
    const allow = params.options.find((o) => o.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: allow.optionId } };
  })
  .onRequest(methods.client.fs.readTextFile, async ({ params }) => {
    seen.reads++;
    return { content: unsaved.get(params.path) ?? (await readFile(params.path, "utf8")) };
  })
  .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
    seen.writes++;
    unsaved.delete(params.path);
    await writeFile(params.path, params.content);
    return {};
  })
  .onRequest(methods.client.elicitation.create, ({ params }) => {
    seen.forms++;
    const [name] = Object.keys(params.requestedSchema.properties);
    return { action: "accept", content: { [name]: "Euros" } };
  })
  .onNotification(methods.client.session.update, ({ params }) => {
    seen.updates.push(params.update.sessionUpdate);
    if (params.update.sessionUpdate === "agent_message_chunk") seen.text += params.update.content.text;
  });

const agent = spawn(program, ["acp"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
await app.connectWith(stream, async (ctx) => {
  const { agent: a } = methods;
  const hello = await ctx.request(a.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, elicitation: { form: {} }, session: { notices: {}, compaction: {} } },
    clientInfo: { name: "emendo-e2e", version: "1" },
  });
  seen.agent = hello.agentInfo.name;
  const { sessionId, configOptions } = await ctx.request(a.session.new, { cwd: folder, mcpServers: [] });
  seen.options = configOptions.map((o) => o.id);
  const ask = async (text) => {
    const { stopReason } = await ctx.request(a.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    seen.stopReasons.push(stopReason);
  };
  await ask("Ask me, then edit the file.");
  await ctx.request(a.session.setMode, { sessionId, modeId: "plan" });
  await ctx.request(a.session.setConfigOption, { sessionId, configId: "mode", value: "default" });
  const waiting = ask("Wait.");
  await new Promise((resolve) => {
    const poll = setInterval(() => {
      if (seen.updates.filter((u) => u === "user_message_chunk").length < 2) return;
      clearInterval(poll);
      resolve();
    }, 5);
  });
  await ctx.notify(a.session.cancel, { sessionId });
  await waiting;
  const { sessions } = await ctx.request(a.session.list, { cwd: folder });
  seen.listed = sessions.map((s) => s.sessionId === sessionId);
  await ctx.request(a.session.close, { sessionId });
  const live = seen.text.length;
  await ctx.request(a.session.load, { sessionId, cwd: folder, mcpServers: [] });
  await ctx.request(a.session.resume, { sessionId, cwd: folder, mcpServers: [] });
  await ctx.request(a.session.delete, { sessionId });
  seen.left = (await ctx.request(a.session.list, { cwd: folder })).sessions.length;
  seen.replayed = seen.text.slice(live); // the library handles notifications after the answers that they preceded
});
agent.stdin.end();
await new Promise((resolve) => agent.on("exit", resolve));
seen.exit = agent.exitCode;
console.log(JSON.stringify(seen));
