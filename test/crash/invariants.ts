/** The checks after a restart: nothing accepted is lost, nothing half-written is seen, nothing runs twice. */
import { openCore } from './open-core.ts';
import { blob, blobDigest, CALLS, contentOf, OPERATIONS, PROMPTS, promptId } from './operations.ts';

export interface Answer {
  id: string;
  status: number;
  text: string;
}

interface Fault {
  kind: string;
  /** Whether the process ended in order. */
  ended: boolean;
}

interface HistoryEntry {
  status: { status_str: string };
  outputs: Record<string, { images?: { filename: string; subfolder: string; type: string }[] }>;
}

/** Opens the home as a restart does. Returns what is wrong. */
export async function brokenInvariants(home: string, answers: Answer[], fault: Fault): Promise<string[]> {
  const problems: string[] = [];
  const accepted = new Set(answers.filter(({ status }) => status < 400).map(({ id }) => id));
  const answered = new Set(answers.map(({ id }) => id));
  for (const { id, status, text } of answers)
    if (
      status >= 500 &&
      !(status === 507 && fault.kind === 'enospc') &&
      !expectedFailure(status, text, fault)
    )
      problems.push(`${id} was answered ${status}: ${text}`);
  const core = await openCore(home);
  const check = async (what: string, isTrue: boolean | Promise<boolean>) => {
    if (!(await isTrue)) problems.push(what);
  };
  // A power failure may lose the last transactions of the records: SQLite syncs them at checkpoints.
  const keepsRecords = fault.kind !== 'power';
  try {
    const read = async (name: string) => {
      const response = await core.request('image-workflows', 'GET', `/userdata/${name}`);
      return response.status === 200 ? response.text() : undefined;
    };
    await checkVersions('a.json', ['first', 'second', 'third']);
    await checkVersions('b.json', ['only']);
    const settings = await (await core.request('image-workflows', 'GET', '/settings')).json();
    const expected = JSON.parse(contentOf('settings'));
    const hasSettings = JSON.stringify(settings) === JSON.stringify(expected);
    await check('settings are lost', hasSettings || !accepted.has('settings'));
    await check('settings are half-written', hasSettings || JSON.stringify(settings) === '{}');

    const head = await core.request('local-models', 'HEAD', `/api/blobs/${blobDigest}`);
    await check('the blob is lost', head.status === 200 || !accepted.has('blob'));
    if (head.status === 200) await check('the blob is half-written', isComplete(home));

    if (keepsRecords) {
      await checkCalls();
      await checkPrompts();
    }

    async function checkVersions(name: string, versions: string[]): Promise<void> {
      const content = await read(name);
      const found = versions.find((version) => content === contentOf(version));
      await check(`${name} is half-written`, content === undefined || found !== undefined);
      const deletion = `delete ${name[0]}`;
      const stored = versions.filter((version) => accepted.has(`user file ${name} ${version}`));
      const last = stored.at(-1);
      const isDeleted = OPERATIONS.some(({ id }) => id === deletion) && wasSent(deletion);
      if (last !== undefined && !isDeleted)
        await check(
          `${name} lost the version ${last}`,
          found !== undefined && versions.indexOf(found) >= versions.indexOf(last),
        );
      if (accepted.has(deletion)) await check(`${name} came back`, content === undefined);
    }

    /** The operation after the last answered one may have begun. */
    function wasSent(id: string): boolean {
      const next = OPERATIONS.find((operation) => !answered.has(operation.id));
      return answered.has(id) || next?.id === id;
    }

    async function checkCalls(): Promise<void> {
      const response = await core.request('webhooks', 'GET', '/api/v1/executions?limit=100&includeData=true');
      const { data } = (await response.json()) as {
        data: { status: string; data?: { resultData: { runData: Record<string, unknown[]> } } }[];
      };
      const ran = data.map((execution) => ({
        status: execution.status,
        text: JSON.stringify(execution.data ?? {}),
      }));
      // A disk that also fails at the end of the process leaves an execution without its end: it counts as crashed.
      const mayLackEnd = fault.kind === 'enospc' || fault.kind === 'eio';
      let withoutEnd = mayLackEnd ? ran.filter(({ status }) => status === 'crashed').length : 0;
      for (const n of CALLS) {
        const mine = ran.filter(({ text }) => text.includes(`"n":"${n}"`));
        await check(`call ${n} ran ${mine.length} times`, mine.length <= 1);
        if (!accepted.has(`call ${n}`)) continue;
        if (mine.length === 0)
          await check(
            `call ${n} has no execution among ${ran.map(({ status }) => status)}`,
            withoutEnd-- > 0,
          );
        else await check(`call ${n} is ${mine[0]!.status}`, mine[0]!.status === 'success');
      }
      await check('an execution runs for ever', !ran.some(({ status }) => status === 'running'));
      if (accepted.has('workflow')) {
        const list = await (await core.request('webhooks', 'GET', '/api/v1/workflows')).json();
        const [workflow] = (list as { data: { active: boolean }[] }).data;
        await check('the workflow is lost', workflow !== undefined);
        if (accepted.has('publish')) await check('the workflow is not published', workflow?.active === true);
      }
    }

    async function checkPrompts(): Promise<void> {
      for (const name of PROMPTS) {
        const entry = await historyOf(promptId(name));
        if (accepted.has(`prompt ${name}`)) await check(`prompt ${name} is lost`, entry !== undefined);
        if (!entry) continue;
        // A prompt whose output found no room has failed, and says so.
        const isFull = fault.kind === 'enospc' || fault.kind === 'eio';
        const isDone = entry.status.status_str === 'success';
        await check(`prompt ${name} failed`, isDone || isFull);
        const images = Object.values(entry.outputs).flatMap((output) => output.images ?? []);
        if (isDone) await check(`prompt ${name} has ${images.length} images`, images.length === 1);
        for (const image of images) {
          const query = new URLSearchParams(image);
          const view = await core.request('image-workflows', 'GET', `/view?${query}`);
          const bytes = new Uint8Array(await view.arrayBuffer());
          const end = String.fromCharCode(...bytes.slice(-8, -4));
          await check(`the image of ${name} is half-written`, view.status === 200 && end === 'IEND');
        }
      }
    }

    /** Waits until a stored prompt has run. */
    async function historyOf(id: string): Promise<HistoryEntry | undefined> {
      for (const ended = Date.now() + 5000; ; ) {
        const history = (await (
          await core.request('image-workflows', 'GET', `/history/${id}`)
        ).json()) as Record<string, HistoryEntry>;
        const queue = await (await core.request('image-workflows', 'GET', '/queue')).text();
        if (history[id] || !queue.includes(id) || Date.now() > ended) return history[id];
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  } finally {
    await core.close();
  }
  return problems;
}

/** A disk that reports an error is answered with 500, which names the cause. */
function expectedFailure(status: number, text: string, { kind }: Fault): boolean {
  return status === 500 && kind === 'eio' && text !== '';
}

async function isComplete(home: string): Promise<boolean> {
  const { readFile } = await import('node:fs/promises');
  const { join } = await import('node:path');
  const stored = await readFile(join(home, 'blobs', blobDigest.replace(':', '-')));
  return stored.equals(Buffer.from(blob));
}
