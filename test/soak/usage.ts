/** Memory, files and connections of processes, a home and a tab. Processes are read as Linux reports them. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import Database from 'libsql';
import { processTree } from '../support/processes/child-processes.ts';
import type { Usage } from './growth.ts';

const MEGABYTE = 1_000_000;

/** Processes of a tree, their open files and sockets, and their memory in megabytes. */
export function processUsage(root: number): Usage {
  const usage = { processes: 0, descriptors: 0, sockets: 0, 'main memory': 0, 'other memory': 0 };
  for (const pid of processTree(root)) {
    try {
      const memory = residentMemory(pid);
      const open = readdirSync(`/proc/${pid}/fd`).map((name) => linkOf(`/proc/${pid}/fd/${name}`));
      usage.processes++;
      usage.descriptors += open.length;
      usage.sockets += open.filter((target) => target.startsWith('socket:')).length;
      usage[pid === root ? 'main memory' : 'other memory'] += memory;
    } catch {
      // The process has ended.
    }
  }
  return usage;
}

function residentMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024) / MEGABYTE;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Files and their megabytes in a home, and the documents of its records. */
export function homeUsage(home: string): Usage {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, entry) => sum + sizeOf(join(entry.parentPath, entry.name)), 0);
  return { files: files.length, 'file megabytes': bytes / MEGABYTE, records: recordCount(home) };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function recordCount(home: string): number {
  const database = new Database(join(home, 'records.sqlite'), { readonly: true });
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'collection_%'")
      .all() as { name: string }[];
    return tables.reduce((sum, { name }) => {
      const { n } = database.prepare(`SELECT count(*) AS n FROM "${name}"`).get() as { n: number };
      return sum + n;
    }, 0);
  } finally {
    database.close();
  }
}

/** Files and megabytes in the origin private file system of a tab, and documents of its IndexedDB. */
export function tabUsage(page: Page): Promise<Usage> {
  return page.evaluate(async () => {
    let [files, bytes, records] = [0, 0, 0];
    const folders = [await navigator.storage.getDirectory()];
    for (let folder = folders.pop(); folder; folder = folders.pop()) {
      for await (const entry of folder.values()) {
        if (entry.kind === 'directory') folders.push(entry as FileSystemDirectoryHandle);
        else {
          files++;
          bytes += (await (entry as FileSystemFileHandle).getFile()).size;
        }
      }
    }
    for (const { name } of await indexedDB.databases()) {
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open(name!);
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(opening.error);
      });
      for (const store of database.objectStoreNames) {
        records += await new Promise<number>((resolve, reject) => {
          const counting = database.transaction(store).objectStore(store).count();
          counting.onsuccess = () => resolve(counting.result);
          counting.onerror = () => reject(counting.error);
        });
      }
      database.close();
    }
    return { files, 'file megabytes': bytes / 1_000_000, records };
  });
}
