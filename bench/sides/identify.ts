/** Checks that the system at an address is what the command line says. */
import type { PeerKind } from '../arguments.ts';
import { type AskOptions, askAny, readText, type Side, SideError, shortened } from './side.ts';

/** Milliseconds until the first answer. */
const FIRST_ANSWER = 10_000;

/**
 * Returns what answers there, such as `ollama 0.33.0`.
 * @throws SideError if nothing answers, or another kind of system
 */
export async function identify(kind: PeerKind, side: Side): Promise<string> {
  const { title, by } = await IDENTIFIERS[kind](side);
  return by === 'tabd' ? `${title} (another tabd: it is compared with itself)` : title;
}

interface Identity {
  title: string;
  by: 'tabd' | 'peer';
}

const IDENTIFIERS: Record<PeerKind, (side: Side) => Promise<Identity>> = {
  async ollama(side) {
    const { json, by } = await answerOf(side, '/api/version');
    const { version } = (json ?? {}) as { version?: unknown };
    const { json: tags } = await answerOf(side, '/api/tags');
    if (typeof version !== 'string' || !Array.isArray((tags as { models?: unknown } | undefined)?.models))
      throw notThis(side, 'an Ollama', "GET /api/version and /api/tags do not answer as Ollama's do");
    return { title: `ollama ${version}`, by };
  },
  async comfyui(side) {
    const { json, by } = await answerOf(side, '/system_stats');
    const { system } = (json ?? {}) as { system?: { comfyui_version?: unknown; pytorch_version?: unknown } };
    if (typeof system !== 'object' || !('comfyui_version' in system || 'pytorch_version' in system))
      throw notThis(side, 'a ComfyUI', 'GET /system_stats names no version of ComfyUI');
    return { title: `comfyui ${system.comfyui_version ?? 'of an unknown version'}`, by };
  },
  async n8n(side) {
    const health = await answerOf(side, '/healthz');
    if ((health.json as { status?: unknown } | undefined)?.status !== 'ok')
      throw notThis(side, 'an n8n', 'GET /healthz does not answer {"status":"ok"}');
    const list = await answerOf(side, '/api/v1/workflows?limit=1');
    if (list.status === 401 || list.status === 403) throw new SideError(side, N8N_KEY);
    if (list.status === 404) throw new SideError(side, N8N_WITHOUT_API);
    if (!Array.isArray((list.json as { data?: unknown } | undefined)?.data))
      throw notThis(side, 'an n8n', `GET /api/v1/workflows answered ${list.status}: ${shortened(list.text)}`);
    return { title: 'n8n', by: health.by };
  },
};

const N8N_KEY =
  'the public API refuses the key. No API creates the first one: set up the owner in the page of n8n, create a key ' +
  'under Settings > n8n API with the rights to create, read, activate and delete workflows, and pass it by ' +
  '--n8n-key KEY or the variable N8N_API_KEY. For a tabd: tabd key create';

const N8N_WITHOUT_API =
  'the public API is not there (404 for /api/v1/workflows). It publishes the workflows of the bench: start n8n ' +
  'without N8N_PUBLIC_API_DISABLED';

const notThis = (side: Side, what: string, why: string) =>
  new SideError(side, `this is not ${what}: ${why}. Correct the address or the kind`);

async function answerOf(side: Side, path: string) {
  const options: AskOptions = { limit: FIRST_ANSWER };
  const response = await askAny(side, path, options);
  const text = await readText(side, path, response);
  const by: Identity['by'] = response.headers.has('x-tabd-served-by') ? 'tabd' : 'peer';
  return { status: response.status, text, by, json: response.ok ? parsed(text) : undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
