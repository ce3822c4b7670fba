import { formatTable } from '../../base/format.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { ShowAnswer } from '../client/api-types.ts';
import type { Command } from './command.ts';
import { writeJson } from './write-json.ts';

const PARTS = ['license', 'modelfile', 'parameters', 'system', 'template'] as const;

/** `tabd show MODEL`: a description, or one part in its original form. */
export const show: Command = async ({ args, io, client }) => {
  const { options, operands } = args;
  const parts = PARTS.filter((part) => options[part]);
  if (parts.length > 1) {
    throw new UsageError(`use only one of ${PARTS.map((part) => `--${part}`).join(', ')}`);
  }
  const verbose = options.verbose === true;
  const answer = await client.post<ShowAnswer>('/api/show', { model: operands[0], verbose });
  if (options.json) return writeJson(io.out, answer);
  const [part] = parts;
  io.out.write(part ? `${answer[part] ?? ''}\n` : describeModel(answer, verbose));
};

/** A readable description: one table for each section. */
export function describeModel(answer: ShowAnswer, verbose: boolean): string {
  const { details, model_info: info = {} } = answer;
  const architecture = String(info['general.architecture'] ?? details.family ?? '');
  const projector = answer.projector_info;
  const sections: [heading: string, rows: (string[] | undefined)[]][] = [
    [
      'Model',
      [
        row('architecture', architecture),
        row('parameters', details.parameter_size),
        row('context length', info[`${architecture}.context_length`]),
        row('embedding length', info[`${architecture}.embedding_length`]),
        row('quantization', details.quantization_level),
        row('format', details.format),
        row('made from', details.parent_model),
        row('requires', answer.requires),
      ],
    ],
    ['Capabilities', (answer.capabilities ?? []).map((name) => [name])],
    [
      'Projector',
      projector
        ? [
            row('architecture', projector['general.architecture']),
            row('embedding length', projector['clip.vision.embedding_length']),
            row('dimensions', projector['clip.vision.projection_dim']),
          ]
        : [],
    ],
    ['Parameters', lines(answer.parameters).map((line) => /^(\S+)\s+(.*)$/.exec(line)?.slice(1) ?? [line])],
    ['Metadata', verbose ? Object.entries(info).map(([key, value]) => [key, shortened(value)]) : []],
    [
      'Tensors',
      verbose ? (answer.tensors ?? []).map(({ name, type, shape }) => [name, type, shape.join(' x ')]) : [],
    ],
    ['System', firstLines(answer.system)],
    ['License', firstLines(answer.license)],
  ];
  return sections
    .map(([heading, rows]) => [heading, rows.filter((each) => each !== undefined)] as const)
    .filter(([, rows]) => rows.length > 0)
    .map(([heading, rows]) => `  ${heading}\n${formatTable(rows).replace(/^(?=.)/gm, '    ')}\n`)
    .join('');
}

function row(name: string, value: unknown): string[] | undefined {
  return value === undefined || value === null || value === '' ? undefined : [name, String(value)];
}

function lines(text = ''): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** The first two lines of a text. `...` stands for more. */
function firstLines(text: string | undefined): string[][] {
  const all = lines(text).map((line) => [line.trim()]);
  return all.length > 2 ? [...all.slice(0, 2), ['...']] : all;
}

function shortened(value: unknown): string {
  if (value === null) return '[...]';
  if (!Array.isArray(value)) return String(value);
  const shown = value.slice(0, 3).map((item) => JSON.stringify(item));
  return `[${shown.join(', ')}${value.length > 3 ? `, ... ${value.length - 3} more` : ''}]`;
}
