import type { ChannelSettings } from '../config/config.ts'
import { createPostDeps } from '../delivery/channels/postOnce.ts'
import { createSlackApi } from '../delivery/channels/slackApp/api.ts'
import type { OnlineResult } from './onlineResult.ts'
import type { Io } from './io.ts'

/** Whether Slack knows the bot token. Nothing is posted, and no socket opened. */
export async function checkSlackApp(
  io: Pick<Io, 'clock' | 'stop'>,
  channel: Extract<ChannelSettings, { type: 'slack-app' }>,
): Promise<OnlineResult> {
  const url = channel.url.reveal()
  const what = `channel ${channel.name}, ${new URL(url).host}`
  const http = createPostDeps({})
  try {
    const api = createSlackApi(http, { url, token: channel.token, now: () => io.clock.now() })
    const answer = await api.call({ method: 'auth.test', args: {}, signal: io.stop })
    if (!answer.ok) {
      const remedy = `Check channels.${channel.name}.token, and that the app is installed in the workspace.`
      return { what, verdict: 'failed', says: answer.failure.reason, remedy }
    }
    const says = 'knows the bot token; whether the app is in the channel shows with the first message'
    return { what, verdict: 'ok', says, remedy: null }
  } finally {
    await http.close()
  }
}
