/**
 * `npm run contract -- [ollama|comfyui|n8n|n8n-ai ...] [--golden DIR] [--transport process|worker|bridge|port|door] [--only REGEX]`
 * Replays recordings of the real systems and prints the differences. Prints `API TRANSPORT: N of M equal`, then the
 * differing ones with reasons. The exit code is 1 only when the replay itself failed: recordings of missing features
 * may differ.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { replayAi } from './ai-scenes.ts';
import { beyondPages } from './beyond-pages.ts';
import { CASE_FILES, replayCases } from './cases.ts';
import {
  isBetterThanCrash,
  steadyAnswer,
  steadyRecording,
  uploadInputs,
  waitUntilIdle,
} from './comfyui-answers.ts';
import { arrange, fitted } from './comfyui-states.ts';
import { compare } from './compare/compare.ts';
import { NUMBER_FILES, replayNumbers } from './compare/numbers.ts';
import {
  type Answer,
  type Call,
  type RealSystem,
  type State,
  TRANSPORTS,
  type Transport,
  type TransportName,
} from './exchange.ts';
import { replayPublished } from './published-calls.ts';
import { loadRecordings, type Recording } from './recording.ts';
import { replayTranscripts } from './transcripts.ts';
import { openRealTransport } from './transports/open.ts';
import { replayWebhookCall } from './webhook-calls.ts';
import { replayScenes, SCENE_FILES } from './webhook-scenes.ts';

interface ReplayRules {
  groups: { match: string; state: State }[];
  before: { match: string; calls: [method: string, path: string, json: unknown][] }[];
  /** Recordings that decisions overrule, or that need files of a recording machine. */
  notFollowed: { match: string; why: string }[];
}

/** Milliseconds for an answer. */
const LIMIT = 60_000;
const APIS: RealSystem[] = ['ollama', 'comfyui', 'n8n'];
/** Recordings of n8n's AI nodes, in a folder of their own. */
const AI = 'n8n-ai';
const rules = JSON.parse(readFileSync(new URL('./replay-setup.json', import.meta.url), 'utf8')) as Record<
  RealSystem,
  ReplayRules
>;

const aiRules = (rules as unknown as Record<string, ReplayRules>)[AI]!;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    golden: { type: 'string' },
    transport: { type: 'string', default: 'process' },
    only: { type: 'string' },
  },
});
const checkout = fileURLToPath(new URL('../..', import.meta.url));
const golden = resolve(values.golden ?? resolve(checkout, '../shared/golden'));
const requested = positionals.length > 0 ? positionals : [...APIS, AI];
const chosen = requested.filter((api) => api !== AI) as RealSystem[];
for (const api of chosen)
  if (!APIS.includes(api)) fail(`unknown API ${api}: choose among ${[...APIS, AI].join(', ')}`);
if (!TRANSPORTS.includes(values.transport as TransportName)) {
  fail(`unknown transport ${values.transport}: choose among ${TRANSPORTS.join(', ')}`);
}
if (!existsSync(golden)) fail(`there are no recordings in ${golden}: name their folder with --golden`);

let templated = false;
let uploaded = false;
const transport = openRealTransport(values.transport as TransportName, golden);
try {
  for (const api of chosen) await replay(api, transport);
  if (requested.includes(AI)) await replayAiNodes(transport);
} finally {
  await transport.close();
}
process.exit();

async function replayAiNodes(transport: Transport): Promise<void> {
  const only = values.only ? new RegExp(values.only) : undefined;
  const { total, reasons } = await replayAi(golden, transport, { only, notFollowed: aiRules.notFollowed });
  console.log(`${AI} ${transport.name}: ${total - reasons.length} of ${total} equal`);
  for (const reason of reasons.sort()) console.log(`  ${reason}`);
}

async function replay(api: RealSystem, transport: Transport): Promise<void> {
  const { recordings, others } = loadRecordings(golden, api);
  const only = values.only ? new RegExp(values.only) : undefined;
  const todo = only ? recordings.filter(({ name }) => only.test(name)) : recordings;
  const reasons: string[] = [];
  // One state after the other, each in the order of recording.
  const staged = todo.map((recording) => ({ recording, state: stateOf(api, recording.name) }));
  // A request for the history in the second in which the prompt was sent comes after the prompt.
  const at = ({ recording }: (typeof staged)[number]) =>
    recording.ranAt ?? recording.at + (recording.name.endsWith('.history') ? 999 : 0);
  staged.sort((a, b) => a.state.localeCompare(b.state) || at(a) - at(b));
  for (const [index, { recording, state }] of staged.entries()) {
    if (process.stderr.isTTY) process.stderr.write(`\r${index + 1}/${staged.length} ${recording.name}\x1b[K`);
    const reason = await difference(api, state, recording, transport);
    if (reason) reasons.push(`${recording.name}: ${reason}`);
  }
  let total = todo.length;
  // The workflow engine runs cases itself, so the transport makes no difference to them.
  if (api === 'n8n' && transport.name === 'process') {
    const cases = await replayCases(golden, { only, notFollowed: rules.n8n.notFollowed });
    total += cases.total;
    reasons.push(...cases.reasons);
  }
  if (api === 'n8n') {
    const scenes = await replayScenes(golden, transport, { only, notFollowed: rules.n8n.notFollowed });
    total += scenes.total;
    reasons.push(...scenes.reasons);
  }
  if (api === 'comfyui' && transport.name === 'process') {
    const numbers = await replayNumbers(golden, { only, notFollowed: rules.comfyui.notFollowed });
    total += numbers.total;
    reasons.push(...numbers.reasons);
  }
  if (api === 'comfyui' && transport.name !== 'worker') {
    const received = await replayTranscripts(golden, transport, {
      only,
      notFollowed: rules.comfyui.notFollowed,
    });
    total += received.total;
    reasons.push(...received.reasons);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  console.log(`${api} ${transport.name}: ${total - reasons.length} of ${total} equal`);
  for (const reason of reasons.sort()) console.log(`  ${reason}`);
  const replayed = { n8n: [...CASE_FILES, ...SCENE_FILES], comfyui: NUMBER_FILES, ollama: [] as string[] }[
    api
  ];
  const left = others.filter(
    (file) => !replayed.includes(file.replace('.json', '')) && !(api === 'comfyui' && file.startsWith('ws-')),
  );
  if (left.length > 0 && !only) {
    console.log(`  (${left.length} files hold transcripts or tables, not one request: not replayed)`);
  }
}

async function difference(
  api: RealSystem,
  state: State,
  recording: Recording,
  transport: Transport,
): Promise<string | undefined> {
  const notFollowed = rules[api].notFollowed.find(({ match }) => new RegExp(match).test(recording.name));
  if (notFollowed) return `not followed: ${notFollowed.why}`;
  const beyond = transport.name === 'worker' ? beyondPages(recording) : undefined;
  if (beyond) return `not sent: a page cannot ${beyond}`;
  try {
    if (recording.workflow && transport.name === 'process') return await replayWebhookCall(recording);
    if (recording.workflow) {
      const send = (call: Call) => inTime(transport, api, state, withBody(call));
      return await replayPublished(recording, { transport, state, send });
    }
    if (api === 'comfyui' && !uploaded) {
      uploaded = true;
      await uploadInputs(golden, (call) => inTime(transport, api, state, call));
    }
    if (state === 'variants') await makeTemplated(api, state, transport);
    for (const { match, calls } of rules[api].before) {
      if (!new RegExp(match).test(recording.name)) continue;
      for (const [method, path, json] of calls) {
        const body = typeof json === 'string' ? json : JSON.stringify(json);
        await inTime(transport, api, state, { method, path, body });
      }
    }
    const send = (call: Call) => inTime(transport, api, state, call);
    const undo = api === 'comfyui' ? await arrange(golden, recording, send) : undefined;
    const call = api === 'comfyui' ? await fitted(recording, send) : recording.call;
    const answer = await send(withBody(call));
    if (api !== 'comfyui') return compare(recording.answer, answer);
    await undo?.();
    await waitUntilIdle(recording, send);
    if (isBetterThanCrash(recording.answer, answer)) return undefined;
    return compare(steadyRecording(recording), steadyAnswer(answer));
  } catch (error) {
    return `could not be sent: ${(error as Error).message}`;
  }
}

/** Recorded models that differ from another model only in a TEMPLATE layer. Created once, as in the recording. */
async function makeTemplated(api: RealSystem, state: State, transport: Transport): Promise<void> {
  if (templated) return;
  templated = true;
  const notes = readFileSync(resolve(golden, 'ollama', 'MODELS.md'), 'utf8');
  const texts = [...notes.matchAll(/^## TEMPLATE \d\n```\n(.*?)\n```$/gms)].map(([, text]) => text);
  for (const [i, model] of ['smollm2-think:135m', 'smollm2-tools:135m'].entries()) {
    const body = JSON.stringify({ model, from: 'smollm2:135m', template: texts[1 - i], stream: false });
    await inTime(transport, api, state, { method: 'POST', path: '/api/create', body });
    // Waits more than a second, because lists are sorted by seconds.
    await sleep(1100);
  }
}

async function inTime(transport: Transport, api: RealSystem, state: State, call: Call): Promise<Answer> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`no whole answer within ${LIMIT / 1000} s`);
      reject(error);
      controller.abort(error);
    }, LIMIT);
  });
  const answer = transport.send(api, state, { ...call, signal: controller.signal });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** A GET or HEAD that was recorded with an empty body is sent without a body. */
function withBody(call: Call): Call {
  if (call.body !== '' || !/^(GET|HEAD)$/.test(call.method)) return call;
  const { body: _body, ...rest } = call;
  return rest;
}

function stateOf(api: RealSystem, name: string): State {
  return rules[api].groups.find(({ match }) => new RegExp(match).test(name))?.state ?? 'ready';
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
