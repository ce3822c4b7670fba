/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';

/** The kinds of real systems that tabd is compared with. */
export const PEER_KINDS = ['ollama', 'comfyui', 'n8n'] as const;
export type PeerKind = (typeof PEER_KINDS)[number];

export interface PeerAddress {
  kind: PeerKind;
  /** `http://host:port`, without a path. */
  origin: string;
}

export interface BenchArguments {
  /** Names of figures. */
  names: string[];
  against: PeerAddress[];
  /** The API key of the n8n to compare with. */
  n8nKey: string | undefined;
  /** Whether to draw the plots of the documentation. */
  plots: boolean;
}

/** A command line that cannot be used. `exitCode` is 2 for unknown words, and 1 for a wrong address. */
export class ArgumentError extends Error {
  constructor(
    message: string,
    readonly exitCode: 1 | 2,
  ) {
    super(message);
  }
}

/** @throws ArgumentError */
export function parseArguments(argv: string[], environment: { N8N_API_KEY?: string } = {}): BenchArguments {
  const { values, positionals } = parseWords(argv);
  return {
    names: positionals,
    against: (values.against ?? []).map(parsePeer),
    n8nKey: values['n8n-key'] ?? (environment.N8N_API_KEY || undefined),
    plots: values.plots === true,
  };
}

function parseWords(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        against: { type: 'string', multiple: true },
        'n8n-key': { type: 'string' },
        plots: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new ArgumentError((error as Error).message, 2);
  }
}

function parsePeer(text: string): PeerAddress {
  const [, kind, address] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (!isPeerKind(kind)) {
    const example = '--against ollama=http://127.0.0.1:11434';
    throw new ArgumentError(
      `--against ${text}: write ${PEER_KINDS.join(', ')} and an address: ${example}`,
      2,
    );
  }
  return { kind, origin: parseOrigin(kind, address!) };
}

const isPeerKind = (kind: string | undefined): kind is PeerKind => PEER_KINDS.includes(kind as PeerKind);

/** Accepts `host:port`, too. */
function parseOrigin(kind: PeerKind, address: string): string {
  const wrong = (why: string) => new ArgumentError(`--against ${kind}: ${why}`, 1);
  const full = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(full)) throw wrong(`'${address}' is no address; write http://host:port`);
  const url = new URL(full);
  if (!/^https?:$/.test(url.protocol)) throw wrong(`'${address}' is neither http nor https`);
  if (url.username || url.password) throw wrong('an address with a password cannot be called');
  if (url.pathname !== '/' || url.search || url.hash) throw wrong(`write '${url.origin}', without a path`);
  return url.origin;
}
