/** The form in which `descriptions/` describes services. It is data: `service-node.ts` makes nodes of it. */
import type { ShowConditions, VersionRange } from '#core/workflow-format';

/** The services of one folder. */
export interface Services {
  /** The descriptions of each node, from the oldest version to the newest. */
  nodes: ServiceDescription[][];
  triggers: TriggerDescription[];
  polls: PollDescription[];
}

/** The parts that nodes and triggers of a service share. */
export interface ServiceBase {
  /** `n8n-nodes-base.slack` */
  name: string;
  label: string;
  description: string;
  versions: number[];
  /** The first one is used whose conditions hold. */
  credentials: {
    type: string;
    when?: ShowConditions;
    versions?: VersionRange;
    /** The scope of a service account. */
    scope?: string;
    /** Requests carry only what templates take from the credential. */
    isUnsigned?: boolean;
  }[];
  /** A template of an address. */
  baseUrl: string;
  headers?: Record<string, string>;
  /** Parameters of all operations, before the choice of one. */
  fields?: Fields;
  /** Templates that operations take as `{ "$template": name }`. */
  templates?: Record<string, unknown>;
  /** Where the service puts its reason into an error. The first path with a text counts. */
  reasons?: string[];
  /** Set if errors have the status 200: the value of the field that says so. Without `is`: any value. */
  failsWhen?: { path: string; is?: unknown };
  /** Requests before all others, once for all items. Their answers are `step.NAME`. */
  before?: Record<string, RequestTemplate & { when?: ShowConditions }>;
}

/** A node that sends requests. */
export interface ServiceDescription extends ServiceBase {
  /** Parameters that operations take by name. */
  sets?: Record<string, Fields>;
  /** The first resource is the default, and its first operation, unless `default` names it. */
  resources: Record<string, Resource>;
  defaultResource?: string;
}

/** A trigger: the service receives the address of the node, and calls it. */
export interface TriggerDescription extends ServiceBase {
  /** Parameters that have no effect here. A node that sets one is refused. */
  unsupported?: string[];
  /**
   * The name of the code that lists what the service is asked to report. `register`, `store`, `exists` and `remove` then
   * apply to each element, which templates read as `topic`.
   */
  topics?: string;
  /** Requests before those of the first topic, which know `hook`. */
  prepare?: Record<string, RequestTemplate>;
  /** The request after those that removed all topics. */
  cleanUp?: RequestTemplate;
  /** Requests that send `hook.url` and `hook.secret` to the service. Their answers are `step.NAME`. */
  register: Record<string, RequestTemplate>;
  /** The parts of the answers that `remove` needs, as `stored`. */
  store?: Record<string, unknown>;
  /** Without it the user enters the address at the service. */
  remove?: RequestTemplate;
  /** A request that fails with 404, or whose answer has another value than `is`, if the service has lost the address. */
  exists?: RequestTemplate & { path: string; is?: { path: string; value: string } };
  check: CallCheck;
  /** The service asks with GET whether the address is right: parameters with the secret, and with the text to answer. */
  challenge?: { secret: string; answer: string };
  /** The name of the code that reads calls, in place of the fields below. */
  receive?: string;
  /** Files of the call, which templates read as `found`. */
  attachments?: Attachments;
  /** The item: the body of the call, or the call with its headers and query. */
  item: 'body' | 'call';
  /** Calls that start nothing. */
  ignores?: { header: string; is: string };
  /** Lists of the only accepted values, by parameter; the value is at one of the paths. */
  only?: { parameter: string; paths: string[] }[];
}

/** A trigger that looks for new items at the times of `pollTimes`. */
export interface PollDescription extends ServiceBase {
  /** Parameters that have no effect here. A node that sets one is refused. */
  unsupported?: string[];
  look: Look;
  /** The look of a run that starts in the editor, which outputs the first element: what to add to the query or body. */
  sample: Pick<RequestTemplate, 'query' | 'body'>;
  /** The service forgets what changed earlier, in days. */
  longest?: number;
}

/**
 * Finds the elements since `window.since`, until `window.now` (ISO texts). In the editor there is only `window.isSample`. Looks overlap,
 * because clocks differ and services find new elements late.
 */
export interface Look extends Operation {
  /** An element whose key is known from an earlier look is not new. */
  key?: unknown;
  /** A time of the element that must lie in the window. `past`: not after `now` either. */
  time?: { path: string; past?: boolean };
}

/** Where the service puts the secret, or the signature that it makes with it. */
export interface CallCheck {
  header?: string;
  /** A parameter of the address. */
  query?: string;
  /** Before a signature (HMAC with SHA-256), perhaps empty. Without it the value is the secret itself. */
  hmacPrefix?: string;
  /** The signature is the SHA-256 of the secret and the body, one after the other. */
  hash?: boolean;
  /** Default: hexadecimal. */
  encoding?: 'base64';
  /** Signatures of the text before the body: `{time}` is in the header `timeHeader`, or a part of the header itself. */
  signed?: {
    before: string;
    timeHeader?: string;
    /** The names of the parts of `name=value,name=value`. */
    parts?: { time: string; signature: string };
  };
  /** The secret that the service knows, as a template. Default: the one that `register` sends. */
  secret?: unknown;
}

interface Resource {
  default?: string;
  /** The resource is chosen by these conditions instead of by name. */
  when?: ShowConditions;
  operations: Record<string, Operation>;
}

/** One or several requests, and the items of the last answer. */
export interface Operation extends RequestTemplate {
  fields?: Fields;
  /** Runs once for all items, with the parameters of the first. Templates read the items as `items`. */
  once?: true;
  /** With `once`: filled for each item. Other templates read the list as `gathered`. */
  gather?: unknown;
  /**
   * The operation asks a person, and the execution waits for the answer. It runs once. Templates read `ask.message`,
   * `ask.subject`, `ask.html` and `ask.buttons`.
   */
  asks?: true;
  /** The name of the code that runs the operation instead of a request. */
  handler?: string;
  /** Names of `sets`. */
  use?: string[];
  /**
   * Requests before the main one. Without a `path` the operation has no main one. A step whose `needs` has no value is
   * not sent. The answers are `step.NAME`.
   */
  steps?: Record<string, RequestTemplate & { needs?: unknown }>;
  /** Parts to use instead if the conditions hold; the first match counts. */
  variants?: ({ when: ShowConditions } & Partial<Operation>)[];
  /** Where the items are in the answer. Default: the answer itself. */
  items?: string;
  /** A request for each found element, `found` in its templates. Its answer takes the element's place. */
  detail?: RequestTemplate & { when?: ShowConditions };
  /** An element, with its details, for which this has no value is no item. */
  keep?: unknown;
  /** Files of each found element, which become files of its item. */
  attachments?: Attachments;
  /** The output in place of each found element, which templates see as `found`. */
  output?: unknown;
  page?: Paging;
  /** Parameters that have no effect here. A node that sets one is refused. */
  unsupported?: string[];
  /** The answer is a file, under the name that the template gives. */
  download?: { property: string; fileName?: string };
}

/** Files of an element, which are downloaded one by one. */
export interface Attachments {
  when: ShowConditions;
  /** A request whose answer `list` reads as `answer`. */
  ask?: RequestTemplate;
  /** A request for each file, whose answer `request` and `fileName` read as `answer`. */
  locate?: RequestTemplate;
  /** A list of `{ fileName, mimeType, … }`. Requests read one of them as `file`. */
  list: unknown;
  request: RequestTemplate;
  /** Where the answer has the content in base64. Default: the answer is the content. */
  base64?: string;
  /** Default: that of the list. */
  fileName?: unknown;
  /** The name of the only file in the item. */
  property?: string;
  /** The names of files in the item without their number, if there may be several. */
  prefix?: unknown;
}

export interface RequestTemplate {
  method?: string;
  /** After the base address, or an address of its own. `{name|filter}` is a parameter, encoded; `{+name}` as it is. */
  path?: string;
  headers?: Record<string, unknown>;
  query?: Record<string, unknown>;
  /** Strings such as `$name|filter` are parameters. Without a value they are left out. */
  body?: unknown;
  encoding?: 'json' | 'form' | 'multipart' | 'bytes';
  /** The address is that of another server, which must not get the credential. */
  isUnsigned?: true;
  /** The answer has no body, but these headers, by the name in the item. */
  answerHeaders?: Record<string, string>;
}

/** How further pages are requested. Without `returnAll` the pages end at `limit` items. */
export interface Paging {
  /** The parameter with the number of items of a page. */
  size?: { name: string; max: number };
  /** A value of the answer that the next request carries. */
  cursor?: {
    from: string;
    name: string /** Where the answer says whether there is a next page. */;
    more?: string;
  };
  /** Where the answer has a value if there is a next page. */
  more?: string;
  /** Further pages are at another path, with values of the answer as the body, while `more` is true. */
  continue?: { path: string; more: string; names: Record<string, string> };
  /** Where the answer has the address of the next page. It must be at the same server. */
  link?: string;
  /** A value of the last element that the next request carries. */
  last?: { from: string; name: string };
  /** A text of the query that gets the place of a page at its end, in SQL: ` STARTPOSITION 1 MAXRESULTS 50`. */
  statement?: { name: string; max: number };
  /** The number of the page. */
  number?: string;
  /** Default: 1. */
  firstNumber?: number;
  /** The number of items so far. */
  offset?: string;
  /** Default: the query. Names in a body may be paths. */
  in?: 'query' | 'body';
  /** Without `returnAll` one request asks for `limit` elements, even if a page has fewer. */
  single?: true;
  /** All pages, without the parameters `returnAll` and `limit`. */
  all?: true;
}

/**
 * Parameters by name. A text is a type: `string`, `number`, `boolean`, `json`, `dateTime`, `list` or `locator`. With `!`
 * at its end it is required. A list has the choices, the default first. Other values are defaults.
 */
export type Fields = Record<string, FieldNotation>;

export type FieldNotation =
  | string
  | number
  | boolean
  | (string | number)[]
  | {
      type?: FieldNotation;
      default?: unknown;
      when?: ShowConditions;
      versions?: VersionRange;
      /** Optional fields. */
      fields?: Fields;
      /** A list of groups of fields, stored under the name of the group. */
      list?: Record<string, Fields>;
      /** One group at most. */
      group?: Record<string, Fields>;
    };
