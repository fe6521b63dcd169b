import { existsSync } from 'node:fs'
import { createExplorer } from '../clients/explorer/createExplorer.ts'
import { mainBlockDetail, zoneBlocks } from '../clients/explorer/endpoints/blocks.ts'
import { MonitorError } from '../lib/errors.ts'
import { ledgerPath } from '../store/openState.ts'
import type { AppConfig, StartFrom } from '../kernel/settings.ts'
import type { AppDeps } from '../monitor/options.ts'

/**
 * A start at a height as a start at that block's time: the list is read by time. Asks the explorer, once, and only
 * when there is no ledger yet.
 * @throws MonitorError `source.*` when it cannot be asked or does not know the block
 */
export async function resolveStart<C extends AppConfig>(deps: AppDeps, config: C): Promise<C> {
  const { from } = config.start
  if (from.kind !== 'height') return config
  const resolved: StartFrom = existsSync(ledgerPath(config.stateDir))
    ? { kind: 'now' }
    : { kind: 'ago', ms: deps.clock.now() - (await readBlockTime(deps, config, from)) }
  return { ...config, start: { from: resolved } }
}

async function readBlockTime(
  { clock, log }: AppDeps,
  config: AppConfig,
  { chain, height }: Extract<StartFrom, { kind: 'height' }>,
): Promise<number> {
  const explorer = createExplorer({ ...config.explorer, clock, log })
  try {
    const { records } =
      chain === 'main'
        ? await explorer.callNonEmpty(mainBlockDetail, { height }, { priority: 'urgent' })
        : await explorer.callNonEmpty(zoneBlocks, { height: String(height) }, { priority: 'urgent' })
    const time = records.find((block) => block.height === height)?.time ?? null
    if (time !== null) return time
    throw new MonitorError(
      'source.empty',
      `start.from: the explorer gives no block time for ${chain}:${height}`,
    )
  } finally {
    await explorer.close()
  }
}
