// Drives `emendo acp --experimental-v2` with the official TypeScript library's preview of
// version 2 of the protocol, and prints what the user of an editor would have seen as one
// JSON object: node client_v2.mjs EMENDO FOLDER.
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk/experimental/v2";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

const [program, folder] = process.argv.slice(2);
const seen = { updates: [], states: [], patches: [], text: "" };
let changed = () => {};

const app = client({ name: "emendo-e2e" })
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    for (const c of params.subject.toolCall.content) if (c.type === "diff") seen.patches.push(c.patch.text);
    const allow = params.options.find((o) => o.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: allow.optionId } };
  })
  .onNotification(methods.client.session.update, ({ params: { update } }) => {
    seen.updates.push(update.sessionUpdate);
    if (update.sessionUpdate === "agent_message_chunk") seen.text += update.content.text;
    if (update.sessionUpdate === "state_update") seen.states.push([update.state, update.stopReason].filter(Boolean).join(":"));
    changed();
  });

const agent = spawn(program, ["acp", "--experimental-v2"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
await app.connectWith(stream, async (ctx) => {
  const { agent: a } = methods;
  const hello = await ctx.request(a.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: {},
    info: { name: "emendo-e2e", version: "1" },
  });
  seen.version = hello.protocolVersion;
  const { sessionId, configOptions } = await ctx.request(a.session.new, { cwd: folder });
  seen.options = configOptions.map((o) => o.configId);
  const { messageId } = await ctx.request(a.session.prompt, { sessionId, prompt: [{ type: "text", text: "Edit the file." }] });
  seen.accepted = typeof messageId;
  await new Promise((resolve) => {
    changed = () => seen.states.some((s) => s.startsWith("idle")) && resolve();
    changed();
  });
  await ctx.request(a.session.close, { sessionId });
  const live = seen.text.length;
  await ctx.request(a.session.resume, { sessionId, cwd: folder, replayFrom: { type: "start" } });
  await ctx.request(a.session.delete, { sessionId });
  seen.left = (await ctx.request(a.session.list, { cwd: folder })).sessions.length;
  seen.replayed = seen.text.slice(live);
});
agent.stdin.end();
await new Promise((resolve) => agent.on("exit", resolve));
seen.exit = agent.exitCode;
console.log(JSON.stringify(seen));
