/** HTTP and WebSockets as frames over a MessagePort or a WebSocket: see grammar.ts for the protocol. */
export type { BodySource } from './bodies/body-sender.ts';
export type { FrameChannel } from './channels/frame-channel.ts';
export { portChannel } from './channels/port-channel.ts';
export { type SocketLike, socketChannel } from './channels/socket-channel.ts';
export { FrameError, NotAccepted, PeerLost, REVOKED, toFrameError, VersionMismatch } from './errors.ts';
export { FrameClient, type OutgoingRequest } from './frame-client.ts';
export { FrameServer } from './frame-server.ts';
export type { FramedWebSocket } from './frame-socket.ts';
export type { HeaderList } from './grammar.ts';
export { type Battery, readServerReport, type ServerReport } from './server-report.ts';
