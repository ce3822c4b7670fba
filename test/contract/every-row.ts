/** Runs every row of every contract table that a transport can send. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransportName } from './exchange.ts';
import { publishAll } from './publish.ts';
import { type Row, rowDifferences, toCall } from './row.ts';
import { firstTexts } from './socket.ts';
import { loadTables } from './tables.ts';
import { openTransport } from './transports/open.ts';

/** The server that each transport must reach, by the header `x-tabd-served-by`. */
const SERVED_BY: Record<TransportName, string> = {
  process: 'node',
  worker: 'tab',
  bridge: 'tab',
  port: 'node',
  door: 'node',
};
const tables = loadTables();

/**
 * A test for each row. Each transport has a file of its own, so that they can run concurrently.
 * @param chosen the tables to run. Default: all
 */
export function testEveryRow(name: TransportName, chosen?: readonly string[]): void {
  const transport = openTransport(name);
  afterAll(() => transport.close(), 30_000);

  describe.each(
    tables
      .filter(({ file }) => !chosen || chosen.includes(file))
      .map((table) => [table.file, table] as const),
  )('%s', (_file, { api, rows, workflows = [], credentials = [] }) => {
    beforeAll(() => publishAll(transport, workflows, credentials), 120_000);
    // A door answers what a port answers.
    const cannot = ({ cannot }: Row) => cannot?.[name] ?? (name === 'door' ? cannot?.port : undefined);
    const sendable = rows.filter((row) => !cannot(row));
    test.each(sendable.map((row) => [row.name, row] as const))('%s', async (_name, row) => {
      const state = row.state ?? 'ready';
      for (const request of row.before ?? []) await transport.send(api, state, toCall(request));
      if (row.expect.messages) {
        const socket = await transport.connect(api, state, row.request.path);
        const messages = await firstTexts(socket, row.expect.messages.length, 15_000);
        const body = `[${messages.join(',')}]`;
        const answer = { status: 101, headers: {}, body };
        expect(rowDifferences({ status: 101, json: row.expect.messages }, answer, true)).toEqual([]);
        return;
      }
      const answer = await transport.send(api, state, toCall(row.request));
      expect(rowDifferences(row.expect, answer, transport.realModel)).toEqual([]);
      expect(answer.headers['x-tabd-served-by']).toBe(SERVED_BY[name]);
    });
  });
}
