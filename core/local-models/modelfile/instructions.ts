/** What a Modelfile may say. The order is that of the error text which lists them. */
export const INSTRUCTIONS = [
  'from',
  'license',
  'template',
  'system',
  'adapter',
  'draft',
  'renderer',
  'parser',
  'parameter',
  'message',
  'requires',
] as const;

export type InstructionName = (typeof INSTRUCTIONS)[number];

export interface Instruction {
  name: InstructionName;
  /** Without the quotes around it. */
  value: string;
  /** Where it stands, from 1. */
  line: number;
  /** The name of a parameter, the role of a message. */
  subject?: string;
}

export const ROLES = ['system', 'user', 'assistant'];
