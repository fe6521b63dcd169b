import { SocketModeClient } from '@slack/socket-mode'

/** The library reads what comes without looking whether it is what it expects: what is not is passed over. */
export class GuardedClient extends SocketModeClient {
  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    await super.onWebSocketMessage(data, isBinary).catch(() => undefined)
  }
}
