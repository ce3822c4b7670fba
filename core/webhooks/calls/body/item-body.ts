import type { Binary } from '#core/workflow-format';
import type { BinaryData } from '../../node-api/node-context.ts';
import type { BodyLimits } from '../../settings/webhook-settings.ts';
import type { XmlThread } from '../../xml/xml-thread.ts';
import type { BodyKind, ContentType } from './content-type.ts';

/** The body of a request, as the item holds it. */
export interface ItemBody {
  /** Undefined: the item has no body. */
  body: unknown;
  binary: Record<string, Binary>;
}

/** A request body with everything that a reader needs. */
export interface RequestBodySource {
  request: Request;
  contentType: ContentType;
  kind: BodyKind;
  /** The version of the node. */
  version: number;
  /** The option "Raw Body": also stores the body as a file. */
  raw: boolean;
  /** Version 1: stores the body as a file, whatever its type. */
  storesAll: boolean;
  /** The name of files in the item. Empty: readers choose it. */
  fileProperty: string;
  limits: BodyLimits;
  /** Converts XML. */
  xml: Pick<XmlThread, 'toObject'>;
  /** Opens the store for files. It is opened for the first file only. */
  files(): Promise<BinaryData>;
}
