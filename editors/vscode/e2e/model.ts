/** A scripted model: a fake Gemini API in a separate process. */
import { Process } from './processes.ts';

/** One piece of an answer. `gate` names the gate that the test opens before it is sent. */
export interface Event {
  text?: string;
  think?: string;
  calls?: { name: string; args: unknown }[];
  gate?: string;
  usage?: { promptTokenCount?: number; candidatesTokenCount?: number; thoughtsTokenCount?: number; totalTokenCount?: number };
}

/** The answer to one request. */
export interface Reply {
  events?: Event[];
  finish?: string;
  gate?: string;
  fail?: { status: number; message: string };
  /** Breaks the connection after the events. */
  cut?: boolean;
}

/** A request as the model got it. */
export interface Request {
  model: string;
  body: unknown;
  /** The text of the last content. */
  said: string;
  /** Why it was rejected; absent if it was answered. */
  refused?: string;
}

/** A reply with texts, one event each. */
export function say(...texts: string[]): Reply {
  return { events: texts.map((text) => ({ text })) };
}

/** A reply that calls tools at once. */
export function call(...calls: { name: string; args: unknown }[]): Reply {
  return { events: [{ calls }] };
}

/** A call that replaces text in a file. */
export function replace(path: string, old: string, text: string): { name: string; args: unknown } {
  return { name: 'replace', args: { file_path: path, instruction: 'improve it', old_string: old, new_string: text } };
}

/** A call that writes a whole file. */
export function write(path: string, content: string): { name: string; args: unknown } {
  return { name: 'write_file', args: { file_path: path, content } };
}

/** A call that runs a command. */
export function run(command: string): { name: string; args: unknown } {
  return { name: 'run_shell_command', args: { command } };
}

/** A call that asks the user to choose. */
export function question(text: string, ...options: string[]): { name: string; args: unknown } {
  const all = options.map((label) => ({ label, description: `It is ${label}.` }));
  return { name: 'ask_user', args: { questions: [{ header: 'Choice', question: text, type: 'choice', options: all }] } };
}

export class Model {
  /** Its address and its key, for the environment of the server. */
  readonly url: string;
  readonly key: string;
  private readonly process: Process;
  private readonly control: string;

  private constructor(process: Process, { url, key, control }: { url: string; key: string; control: string }) {
    this.process = process;
    this.url = url;
    this.key = key;
    this.control = control;
  }

  static async start(program: string): Promise<Model> {
    const process = new Process(program, [], {});
    const [line] = await process.waitForOutput(/^\{.*\}$/);
    return new Model(process, JSON.parse(line) as { url: string; key: string; control: string });
  }

  /** Appends replies, one for each request to come. */
  async add(...replies: Reply[]): Promise<void> {
    await this.post('/replies', JSON.stringify(replies));
  }

  /** Opens a gate, so that waiting replies continue. */
  async open(gate: string): Promise<void> {
    await this.post(`/gates/${gate}`, '');
  }

  /** The requests so far. */
  async requests(): Promise<Request[]> {
    return (await (await fetch(`${this.control}/requests`)).json()) as Request[];
  }

  /** The last request, as JSON. */
  async lastRequest(): Promise<string> {
    return JSON.stringify((await this.requests()).at(-1)?.body ?? null);
  }

  stop(): Promise<void> {
    return this.process.stop();
  }

  private async post(path: string, body: string): Promise<void> {
    const response = await fetch(this.control + path, { method: 'POST', body });
    if (!response.ok) {
      throw new Error(`the model's control answers ${response.status}: ${await response.text()}`);
    }
  }
}
