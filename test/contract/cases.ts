/**
 * Replays the recordings of many cases of nodes, expressions and code. The workflow engine runs their nodes on the
 * items of the recording.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordsSchema } from '#core/host';
import type { Server } from '#core/http/routing/server.ts';
import { createCore } from '#core/server/create-core.ts';
import type { JsonObject } from '#core/workflow-format';
import { createTestHost } from '../support/host/test-host.ts';
import { type CaseRun, openEngine, runCase, type WorkflowCase } from '../support/webhooks/workflow-case.ts';
import { contextFor, toRequest } from './transports/process.ts';

export const CASE_FILES = ['expressions', 'code-node', 'nodes-conditions', 'nodes-data'];

interface CaseFile {
  input?: { items: JsonObject[] };
  cases: (WorkflowCase & { runs: CaseRun[] })[];
}

interface Rule {
  match: string;
  why: string;
}

/** The number of cases, and a line for each that differs. */
export async function replayCases(
  golden: string,
  options: { only?: RegExp | undefined; notFollowed: Rule[] },
): Promise<{ total: number; reasons: string[] }> {
  const site = createCore(createTestHost({ schema: recordsSchema, clock: 'real' })).server;
  const { engine } = await openEngine({
    settings: { TABD_ALLOW_PRIVATE_ADDRESSES: 'true' },
    fetch: (request) => answer(site, request),
  });
  const reasons: string[] = [];
  let total = 0;
  for (const file of CASE_FILES) {
    const path = join(golden, 'n8n', `${file}.json`);
    if (!existsSync(path)) continue;
    const recorded = JSON.parse(readFileSync(path, 'utf8')) as CaseFile;
    for (const recordedCase of recorded.cases) {
      const name = `${file}: ${recordedCase.label}`;
      if (options.only && !options.only.test(name)) continue;
      total++;
      const rule = options.notFollowed.find(({ match }) => new RegExp(match).test(name));
      const reason = rule
        ? `not followed: ${rule.why}`
        : difference(recordedCase.runs, await runCase(engine, recordedCase, recorded.input?.items));
      if (reason) reasons.push(`${name}: ${reason}`);
    }
  }
  await engine.close();
  await site.close();
  return { total, reasons };
}

/** The recorded requests went to the recorded server's own port, and to a closed port. */
function answer(site: Server, request: Request): Promise<Response> {
  const { host, port, pathname } = new URL(request.url);
  if (port === '15678') {
    const { method } = request;
    return site.fetch(toRequest('n8n', { method, path: pathname }), contextFor('n8n'));
  }
  const cause = Object.assign(new Error(`connect ECONNREFUSED ${host}`), { code: 'ECONNREFUSED' });
  throw new TypeError('fetch failed', { cause });
}

function difference(recorded: CaseRun[], actual: CaseRun[]): string | undefined {
  const [expectedOutline, actualOutline] = [outline(recorded), outline(actual)];
  return expectedOutline === actualOutline
    ? undefined
    : `${actualOutline.slice(0, 300)} instead of ${expectedOutline.slice(0, 300)}`;
}

function outline(runs: CaseRun[]): string {
  return JSON.stringify(
    runs.map(({ status, output, error }) => masked({ status, output, error: error?.message })),
  );
}

/** Sorts keys, and removes current times, ids, file locations, and lines of the recorded program. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value === 'string') {
    return value
      .replace(/\b(202[6-9]-\d\d-\d\d)T[\d:.]+([+-]\d\d:\d\d|Z)/g, '<now>')
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>');
  }
  if (typeof value !== 'object' || value === null) return value;
  const isFile = 'mimeType' in value && 'data' in value && 'bytes' in value;
  const isError = 'stack' in value && 'message' in value;
  return Object.fromEntries(
    Object.keys(value)
      .filter((key) => !(isFile && (key === 'id' || key === 'data')) && !(isError && key === 'stack'))
      .sort()
      .map((key) => [key, masked((value as JsonObject)[key])]),
  );
}
