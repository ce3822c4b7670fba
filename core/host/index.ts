/** The interface between the core and its platforms: types, error classes, and the schema of the records. */
export {
  type BlobInfo,
  BlobMissing,
  type Blobs,
  blobFileName,
  type Digest,
  DigestMismatch,
  type PartialBlob,
  StorageFull,
} from './blobs.ts';
export type { HostCapabilities } from './capabilities.ts';
export {
  type AmqpClient,
  type AmqpMessage,
  type AmqpOutgoing,
  type Client,
  type ClientKind,
  type ClientKinds,
  type Clients,
  ClientUnavailable,
  type ConnectionLimits,
  type FileServerClient,
  type KafkaClient,
  type KafkaSettings,
  type Mail,
  type MailboxClient,
  type MailSender,
  type MongoClient,
  type MqttClient,
  type MqttSettings,
  type ParsedMail,
  type RedisClient,
  type RedisReply,
  type ServerFile,
  type ServerLogin,
  type SmtpSettings,
  type SqlClient,
  type SqlResult,
  type SqlSettings,
  type SshClient,
  type SshKey,
  type SshOutput,
  type Subscription,
  type TlsSettings,
} from './clients.ts';
export {
  type Cluster,
  PeerNotReached,
  type QueuedExecution,
  WATCHED_COLLECTIONS,
  type WatchedCollection,
} from './cluster.ts';
export {
  ContextExceeded,
  EngineCrashed,
  EngineError,
  ModelCorrupt,
  ModelUnsupported,
  OutOfMemory,
  ProviderUnusable,
  RequestRefused,
} from './engine-errors.ts';
export {
  type FileInfo,
  FileMissing,
  type FilePath,
  type Files,
  type FileWriter,
  PathUnusable,
  pathParts,
  writablePathParts,
} from './files.ts';
export type { HeardSegment, HeardWord, HearEvent, HearRequest } from './hearing.ts';
export type { DownloadConsent, Host } from './host.ts';
export type { CodecFile, CodecFiles } from './image-codecs.ts';
export type { Keys } from './keys.ts';
export {
  type Device,
  type Embeddings,
  type EmbedOptions,
  type EngineCounts,
  type EngineEvent,
  type GenerateRequest,
  type LanguageEngine,
  type LanguageModel,
  type LoadOptions,
  MEDIA_MARKER,
  type ModelFile,
  type ModelFormat,
  type Sampling,
  type TokenLogprob,
} from './language-engine.ts';
export type { Clock, Gpu, Log, Machine } from './machine.ts';
export {
  type DecodedFrame,
  type MediaCodecs,
  type MediaFile,
  MediaUnavailable,
  MediaUnreadable,
  type Mp3Options,
  type PcmAudio,
  type VideoCodec,
  type VideoToEncode,
  type VideoTrack,
} from './media-codecs.ts';
export type {
  FileSource,
  LocatedFile,
  LocatedModel,
  ModelFolder,
  ModelFolderEntry,
  ModelPlace,
  PrebuiltModel,
  WeightSource,
} from './model-sources.ts';
export { ConnectionNotAllowed, type Network, type NetworkRules } from './network.ts';
export {
  type Doc,
  type ListQuery,
  NewerRecords,
  type RecordChange,
  type RecordCollection,
  type Records,
  type RecordsSchema,
  RecordsUnavailable,
} from './records.ts';
export { recordsSchema } from './records-schema.ts';
export type { SandboxPort, SandboxThread, SandboxThreads } from './sandbox.ts';
export {
  deserializeEngineError,
  type EngineErrorKind,
  type SerializedEngineError,
} from './serialized-engine-error.ts';
export type { CommandResult, ShellCommands } from './shell-commands.ts';
export type { SpeakRequest, SpokenPart } from './speaking.ts';
export {
  type BuiltGraphFile,
  type FileEdit,
  type GraphFile,
  type NamedGraphFile,
  type Tensor,
  type TensorEngine,
  type TensorOpenOptions,
  type TensorProvider,
  type TensorRunOptions,
  type TensorSession,
  type TensorSlot,
  type TensorType,
  usedBytes,
} from './tensor-engine.ts';
export { type Span, type SpanAttributes, type SpanOptions, type Tracing, traced } from './tracing.ts';
export type { FinishedWork, WorkMeter } from './work-meter.ts';
