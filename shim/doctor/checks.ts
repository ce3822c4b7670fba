import { existsSync } from 'node:fs';
import { access, constants, mkdir, statfs } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { recordsSchema } from '#core/host';
import { findAppFolder } from '../app-server/app-folder.ts';
import { formatBytes } from '../base/format.ts';
import { isEngineInstalled, NOT_INSTALLED } from '../engines/llama/installed.ts';
import type { GpuInfo } from '../engines/llama/protocol.ts';
import type { RunningServer } from '../home/running-server.ts';
import { Ffmpeg } from '../media/ffmpeg.ts';
import { isListening } from '../ports/bind.ts';
import { PORTS } from '../ports/open-ports.ts';
import type { PortChoice } from '../ports/port-choice.ts';
import { describeOwner } from '../ports/port-owner.ts';

/** `wrong` keeps tabd from working. `note` makes it slower or disables a part. */
export type FindingVerdict = 'ok' | 'note' | 'wrong';

export interface Finding {
  area: 'program' | 'ports' | 'storage' | 'engine' | 'processor' | 'media' | 'page';
  verdict: FindingVerdict;
  /** The result for the user, with a remedy. */
  text: string;
  /** The same for a report that may be published: nothing private. */
  facts: Record<string, unknown>;
}

export interface DoctorInput {
  home: string;
  ports: PortChoice[];
  /** The process that serves this home now. */
  running: RunningServer | undefined;
  gpus(): Promise<GpuInfo[]>;
  /** TABD_FFMPEG. */
  ffmpeg: string | undefined;
}

/** The lowest version that package.json allows: major, minor. */
const LOWEST_NODE = [20, 19];
/** Free bytes of the disk below which a note is shown. */
const ENOUGH_BYTES = 2e9;
/** Milliseconds that a program may take to print its version. */
const VERSION_TIMEOUT = 5000;

/** Checks everything that tabd needs. Never rejects. */
export async function runChecks(surroundings: DoctorInput): Promise<Finding[]> {
  const found = await Promise.all([
    nodeVersion(),
    ports(surroundings),
    storage(surroundings),
    engine(surroundings),
    processor(),
    media(surroundings),
    page(),
  ]);
  return found.flat();
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < LOWEST_NODE[0]! || (major === LOWEST_NODE[0] && minor < LOWEST_NODE[1]!);
  return {
    area: 'program',
    verdict: isOld ? 'wrong' : 'ok',
    text: `Node.js ${process.versions.node}${isOld ? `: tabd needs ${LOWEST_NODE.join('.')} or newer` : ''}`,
    facts: { node: process.versions.node, system: `${os.type()} ${os.release()}`, architecture: os.arch() },
  };
}

async function ports({ ports: choices, running }: DoctorInput): Promise<Finding[]> {
  return Promise.all(
    choices
      .filter(({ port }) => port)
      .map(async ({ name, port, explicit }): Promise<Finding> => {
        const facts = (state: string) => ({ name, port, state });
        if (!(await isListening(port!, '127.0.0.1'))) {
          return { area: 'ports', verdict: 'ok', text: `${port} (${name}) is free`, facts: facts('free') };
        }
        const owner = await describeOwner(port!, PORTS.find(({ listener }) => listener === name)?.usualOwner);
        const isOurs = /another tabd/.test(owner) && running !== undefined;
        if (isOurs) {
          return { area: 'ports', verdict: 'ok', text: `${port} (${name}) is tabd's`, facts: facts('tabd') };
        }
        const program = /tabd|ollama|comfyui|n8n/i.exec(owner)?.[0].toLowerCase() ?? 'another program';
        const remedy = explicit ? 'choose another with --ports' : 'tabd takes the next free one';
        return {
          area: 'ports',
          verdict: explicit ? 'wrong' : 'note',
          text: `${port} (${name}) is taken by ${owner}: ${remedy}, or end that program`,
          facts: facts(`taken by ${program}`),
        };
      }),
  );
}

async function storage({ home, running }: DoctorInput): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    await mkdir(home, { recursive: true });
    await access(home, constants.W_OK);
    const { bavail, bsize } = await statfs(home);
    const free = bavail * bsize;
    findings.push({
      area: 'storage',
      verdict: free < ENOUGH_BYTES ? 'note' : 'ok',
      text: `${home}: ${formatBytes(free)} free${free < ENOUGH_BYTES ? '; models need more' : ''}${running ? `, in use by process ${running.pid}` : ''}`,
      facts: { free, running: running !== undefined },
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    findings.push({
      area: 'storage',
      verdict: 'wrong',
      text: `${home} cannot be written (${code}): name another folder with --home or TABD_HOME`,
      facts: { writable: false, code },
    });
    return findings;
  }
  const records = recordsVersion(join(home, 'records.sqlite'));
  if (records === undefined) return findings;
  const isNewer = typeof records === 'number' && records > recordsSchema.version;
  const isUnreadable = typeof records !== 'number';
  findings.push({
    area: 'storage',
    verdict: isNewer || isUnreadable ? 'wrong' : 'ok',
    text: isUnreadable
      ? `the records cannot be read (${records.unreadable}): restore a backup, or name another --home`
      : isNewer
        ? `the records are of a newer tabd (version ${records}, this one knows ${recordsSchema.version}): update tabd`
        : `the records have version ${records}`,
    facts: isUnreadable ? { records: 'unreadable' } : { records, program: recordsSchema.version },
  });
  return findings;
}

function recordsVersion(path: string): number | { unreadable: string } | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const database = new Database(path, { readonly: true } as Database.Options);
    try {
      return (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
    } finally {
      database.close();
    }
  } catch (error) {
    return { unreadable: (error as Error).message };
  }
}

async function engine({ gpus }: DoctorInput): Promise<Finding[]> {
  if (!isEngineInstalled()) {
    return [
      {
        area: 'engine',
        verdict: 'note',
        text: NOT_INSTALLED,
        facts: { engine: false },
      },
    ];
  }
  try {
    const found = await gpus();
    const text = found.length
      ? `GPU: ${found.map(({ name }) => name).join(', ')}`
      : 'no GPU that llama.cpp can use: models run on the processor';
    return [
      { area: 'engine', verdict: found.length ? 'ok' : 'note', text, facts: { engine: true, gpus: found } },
    ];
  } catch (error) {
    return [
      {
        area: 'engine',
        verdict: 'wrong',
        text: `node-llama-cpp does not start (${(error as Error).message}): install tabd-shim again`,
        facts: { engine: 'broken' },
      },
    ];
  }
}

function processor(): Finding {
  const threads = os.availableParallelism();
  const total = os.totalmem();
  const [first] = os.cpus();
  return {
    area: 'processor',
    verdict: threads < 2 ? 'note' : 'ok',
    text: `${threads} thread(s), ${formatBytes(os.freemem())} of ${formatBytes(total)} memory free`,
    facts: { threads, model: first?.model ?? 'unknown', memory: total, free: os.freemem() },
  };
}

/** Checks ffmpeg, which reads and writes video and compressed audio. */
async function media({ ffmpeg }: DoctorInput): Promise<Finding> {
  try {
    const output = await new Ffmpeg(ffmpeg).version(AbortSignal.timeout(VERSION_TIMEOUT));
    const version = /version (\S+)/.exec(output)?.[1] ?? 'unknown';
    return { area: 'media', verdict: 'ok', text: `ffmpeg ${version}`, facts: { ffmpeg: version } };
  } catch (error) {
    const text = `image workflows cannot use videos and MP3 files: ${(error as Error).message}`;
    return { area: 'media', verdict: 'note', text, facts: { ffmpeg: 'none' } };
  }
}

function page(): Finding {
  const isBuilt = findAppFolder() !== undefined;
  return {
    area: 'page',
    verdict: isBuilt ? 'ok' : 'note',
    text: isBuilt ? 'the page is built' : 'the page is not built: npm run build (the ports work without it)',
    facts: { built: isBuilt },
  };
}
