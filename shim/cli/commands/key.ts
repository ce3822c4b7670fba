import { formatAge, formatTable } from '../../base/format.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { Command, CommandCall } from './command.ts';
import { writeJson, writeResult } from './write-json.ts';

interface KeyAnswer {
  id: string;
  label: string;
  createdAt: string;
  ending: string;
}

/** Runs `tabd key create|list|rm`. */
export const key: Command = async (call) => {
  const [verb] = call.args.operands;
  const runVerb = Object.hasOwn(VERBS, verb!) ? VERBS[verb!] : undefined;
  if (!runVerb) throw new UsageError(`tabd key cannot '${verb}': see tabd help key`);
  await runVerb(call);
};

const VERBS: Record<string, Command> = { create, list, rm: remove };

async function create({ args, io, client }: CommandCall): Promise<void> {
  const label = args.operands[1] ?? 'key';
  const created = await client.post<KeyAnswer & { apiKey: string }>('/api/v1/keys', { label });
  if (args.options.json) return writeJson(io.out, created);
  io.err.write('This key is shown once. Send it as the header X-N8N-API-KEY:\n');
  io.out.write(`${created.apiKey}\n`);
}

async function list({ args, io, client }: CommandCall): Promise<void> {
  const answer = await client.get<{ data: KeyAnswer[] }>('/api/v1/keys');
  if (args.options.json) return writeJson(io.out, answer);
  if (answer.data.length === 0) {
    return void io.out.write('There are no keys. Create one with: tabd key create LABEL\n');
  }
  const rows = answer.data.map(({ id, label, ending, createdAt }) => [
    id,
    label,
    `…${ending}`,
    formatAge(new Date(createdAt)),
  ]);
  io.out.write(formatTable([['ID', 'LABEL', 'KEY', 'CREATED'], ...rows]));
}

async function remove(call: CommandCall): Promise<void> {
  const { args, client } = call;
  const [, id] = args.operands;
  if (id === undefined) throw new UsageError('tabd key rm needs the id of a key: see tabd key list');
  await client.delete(`/api/v1/keys/${encodeURIComponent(id)}`, {});
  writeResult(call, `revoked ${id}\n`, { revoked: id });
}
