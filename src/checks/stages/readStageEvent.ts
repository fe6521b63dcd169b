import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import { topicOf } from '../../bridge/bridgeLog.ts'
import { decodeArguments } from '../../clients/readEventAbi.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { StageEvent } from './store.ts'

export type StageSetting = AppConfig['bridge']['stages'][number]

/** Heights beyond are no block's. */
const mostHeight = BigInt(Number.MAX_SAFE_INTEGER)

/** What a log says of a stage; null where it is the event of none, or does not fit its declaration. */
export function readStageEvent(
  settings: readonly StageSetting[],
  log: BridgeLog,
  now: UnixMs,
): StageEvent | null {
  const setting = settings.find(({ event }) => event !== null && event.topic === topicOf(log))
  if (setting === undefined || setting.event === null) return null
  const args = decodeArguments(setting.event.abi, log)
  const name = setting.names === null ? '' : args?.[setting.names]
  const height = setting.height === null ? null : toHeight(args?.[setting.height])
  if (name === undefined || height === undefined) return null
  const { contract, hash, place } = log
  return {
    contract,
    hash,
    place,
    stage: setting.stage,
    height: log.height,
    at: Math.min(log.time ?? now, now),
    name: name === '' ? '' : `0x${name}`,
    zoneHeight: height,
  }
}

function toHeight(hex: string | undefined): number | undefined {
  if (hex === undefined) return undefined
  const height = BigInt(`0x${hex}`)
  return height > mostHeight ? undefined : Number(height)
}
