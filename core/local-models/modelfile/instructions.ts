/** The instructions of a Modelfile, in the order of Ollama's error text that lists them. */
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
  /** The value without its quotes. */
  value: string;
  /** The number of its line, from 1. */
  line: number;
  /** The name of a parameter, or the role of a message. */
  subject?: string;
}

export const ROLES = ['system', 'user', 'assistant'];
