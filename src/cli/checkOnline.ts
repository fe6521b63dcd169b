import { checkChannel } from './checkChannel.ts'
import { checkExplorer } from './checkExplorer.ts'
import { checkRpc } from './checkRpc.ts'
import type { Config } from '../config/config.ts'
import type { Io } from './io.ts'

/** One thing that was tried from here, now. */
export interface OnlineResult {
  readonly what: string
  readonly verdict: 'ok' | 'unsure' | 'failed'
  readonly says: string
  /** What to do about it; null when there is nothing to do. */
  readonly remedy: string | null
}

/** Asks every source and reaches for every channel; nothing that anybody would see is sent. */
export async function checkOnline(
  io: Pick<Io, 'clock' | 'stop'>,
  config: Config,
): Promise<readonly OnlineResult[]> {
  const results = await Promise.all([
    checkExplorer(io, config.explorer, config.bridge.contracts),
    ...(config.preconf ? [checkRpc(io, 'preconf', config.preconf.url)] : []),
    ...(config.canonical ? [checkRpc(io, 'canonical', config.canonical.url)] : []),
    ...config.channels.map((channel) => checkChannel(channel)),
  ])
  return results.flat()
}
