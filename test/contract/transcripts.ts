/**
 * Compares the messages of a `/ws` client with those of the real system, in order. The server first restores the
 * results that were cached at the start of each transcript.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { uploadInputs } from './comfyui-answers.ts';
import { empty } from './comfyui-states.ts';
import type { Answer, Call, State, Transport } from './exchange.ts';
import { steadyFilename } from './steady-filename.ts';
import {
  isEnd,
  LIMIT,
  type PromptBody,
  type ReceivedMessage,
  remember,
  type Stage,
  type Transcript,
} from './transcript.ts';
import { SCENES } from './transcript-scenes.ts';

export function loadTranscripts(golden: string): Transcript[] {
  const folder = join(golden, 'comfyui');
  const files = readdirSync(folder).filter((file) => /^ws-.*\.json$/.test(file));
  return files.sort().map((file) => {
    const name = file.slice(3, -5);
    const { messages } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      messages: ReceivedMessage[];
    };
    return { name, messages, ...bodyOf(join(folder, `${name}.json`)) };
  });
}

function bodyOf(path: string): { body?: PromptBody } {
  try {
    return { body: JSON.parse(readFileSync(path, 'utf8')).request.body };
  } catch {
    return {};
  }
}

export async function replayTranscripts(
  golden: string,
  transport: Transport,
  { only, notFollowed }: { only?: RegExp | undefined; notFollowed: { match: string; why: string }[] },
): Promise<{ total: number; reasons: string[] }> {
  const todo = loadTranscripts(golden).filter(({ name }) => !only || only.test(`ws-${name}`));
  const reasons: string[] = [];
  const prepared = new Set<State>();
  for (const transcript of todo) {
    const { name } = transcript;
    const reason = notFollowed.find(({ match }) => new RegExp(match).test(`ws-${name}`))?.why;
    if (reason) {
      reasons.push(`ws-${name}: not followed: ${reason}`);
      continue;
    }
    const state: State = name.startsWith('preview-') ? 'previews' : 'transcripts';
    const send = (call: Call): Promise<Answer> => transport.send('comfyui', state, call);
    try {
      if (!prepared.has(state)) await uploadInputs(golden, send);
      prepared.add(state);
      const stage: Stage = {
        connect: (path) => transport.connect('comfyui', state, path),
        async post(path, json) {
          const { status, body } = await send({ method: 'POST', path, body: JSON.stringify(json) });
          if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
          return body;
        },
      };
      const received = await perform(transcript, stage);
      const difference = hasNoOrder(transcript)
        ? differenceOf(withoutOrder(transcript.messages), withoutOrder(received))
        : differenceOf(transcript.messages, received);
      if (difference) reasons.push(`ws-${name}: ${difference}`);
    } catch (error) {
      reasons.push(`ws-${name}: could not be replayed: ${(error as Error).message}`);
      await empty(send);
    }
  }
  return { total: todo.length, reasons };
}

async function perform(transcript: Transcript, stage: Stage): Promise<ReceivedMessage[]> {
  const scene = SCENES[transcript.name];
  if (scene) return (await scene(stage, transcript)).map(read);
  const { body, messages } = transcript;
  if (!body) throw new Error('nothing says how it came about');
  const cached = messages.find(({ json }) => json?.type === 'execution_cached')!.json.data.nodes as string[];
  await remember(stage, body.prompt, cached);
  const socket = await stage.connect(`/ws?clientId=${body.client_id}`);
  try {
    if (messages.some(({ binary }) => binary?.event === 4)) {
      socket.send(JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } }));
    }
    await socket.until((received) => received.length >= 1, LIMIT);
    await stage.post('/prompt', body);
    await socket.until((received) => received.some(isEnd), LIMIT);
    // Leaves out the greetings, which the real client had received before the recording.
    const greetings = /"sid"|"feature_flags"/;
    return socket.received
      .filter((message) => typeof message !== 'string' || !greetings.test(message))
      .map(read);
  } finally {
    socket.close();
  }
}

function read(message: string | Uint8Array): ReceivedMessage {
  if (typeof message === 'string') return { json: JSON.parse(message) };
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const event = view.getUint32(0);
  const second = view.getUint32(4);
  const text = (from: number, to?: number) => new TextDecoder().decode(message.subarray(from, to));
  if (event === 3) return { binary: { event, node_id: text(8, 8 + second), text: text(8 + second) } };
  const image = event === 4 ? 8 + second : 8;
  const kind = Buffer.from(message.subarray(image, image + 4)).toString('hex');
  return {
    binary: { event, ...(event === 4 ? { metadata: JSON.parse(text(8, image)) } : { format: second }), kind },
  };
}

/**
 * Whether messages have no fixed order. The real system orders outputs by a hash, and other messages may come while a
 * prompt starts.
 */
function hasNoOrder({ name, body }: Transcript): boolean {
  if (name === 'interrupt-global-and-clear') return true;
  const classes = Object.values(body?.prompt ?? {}).map(({ class_type }) => class_type);
  return classes.filter((name) => /^(Save|Preview)/.test(name)).length > 1;
}

function withoutOrder(messages: ReceivedMessage[]): ReceivedMessage[] {
  const others = messages.filter(({ json }) => json?.type !== 'progress_state');
  return others.sort((a, b) => (form(a) < form(b) ? -1 : 1));
}

function differenceOf(expected: ReceivedMessage[], actual: ReceivedMessage[]): string | undefined {
  const [expectedForms, actualForms] = [expected.map(form), actual.map(form)];
  for (let index = 0; index < Math.max(expectedForms.length, actualForms.length); index++) {
    if (expectedForms[index] === actualForms[index]) continue;
    return `message ${index + 1}: ${actualForms[index] ?? 'none'} instead of ${expectedForms[index] ?? 'none'}`;
  }
  return undefined;
}

/** Error texts are tabd's own, and so is the text for the values of a node. */
const OWN = new Set(['exception_message', 'exception_type', 'traceback', 'current_inputs']);
const UNORDERED = new Set(['executed', 'current_outputs', 'nodes']);

function form({ json, binary }: ReceivedMessage): string {
  if (json) return JSON.stringify(steady(json, ''));
  const { length, first8_hex, image_first16_hex, ...fields } = binary!;
  const kind = image_first16_hex === undefined ? {} : { kind: String(image_first16_hex).slice(0, 8) };
  return JSON.stringify(steady({ ...fields, ...kind }, ''));
}

function steady(value: unknown, key: string): unknown {
  if (key === 'timestamp' && Number.isInteger(value)) return 0;
  if (OWN.has(key)) return Array.isArray(value) ? [] : typeof value;
  if (key === 'filename') return steadyFilename(String(value));
  if (key === 'sid') return /^[0-9a-f]{32}$/.test(String(value)) ? '<hex>' : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => steady(item, ''));
    return UNORDERED.has(key) ? items.map((item) => JSON.stringify(item)).sort() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, steady(item, name)]));
}
