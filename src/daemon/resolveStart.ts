import { existsSync } from 'node:fs'
import { createExplorer } from '../clients/explorer/createExplorer.ts'
import { mainBlockDetail, zoneBlocks } from '../clients/explorer/endpoints/blocks.ts'
import { MonitorError } from '../lib/errors.ts'
import { ledgerPath } from '../store/state.ts'
import type { AppConfig, StartFrom } from '../kernel/settings.ts'
import type { AppDeps, AppOptions } from '../monitor/options.ts'

/** Less is how late a head is read. What a start looks back over is far more. */
const leastLeadMs = 600_000

/**
 * Where a first start begins, as a time that the list can be read by: a height as its block's time, and any time by the
 * clocks of others where ours is ahead of them, or all that happens until then would be history. Asks the explorer, once,
 * and only when there is no ledger yet, or the one that is there is set aside.
 * @throws MonitorError `source.*` when a height is asked for, and it cannot be asked or does not know the block
 */
export async function resolveStart<C extends AppConfig>(
  deps: AppDeps,
  { config, resetState = false }: { readonly config: C } & Pick<AppOptions, 'resetState'>,
): Promise<C> {
  const { from } = config.start
  const begin = (start: StartFrom) => ({ ...config, start: { from: start } })
  if (!resetState && existsSync(ledgerPath(config.stateDir)))
    return from.kind === 'height' ? begin({ kind: 'now' }) : config
  switch (from.kind) {
    case 'height':
      return begin({ kind: 'ago', ms: deps.clock.now() - (await readBlockTime(deps, config, from)) })
    case 'genesis':
      return config
    case 'now':
    case 'ago': {
      const leadMs = await readLead(deps, config)
      if (leadMs < leastLeadMs) return config
      deps.log.warn(
        { leadMs },
        'the clock of this machine is ahead of the explorer and its blocks: it starts earlier by that',
      )
      return begin({ kind: 'ago', ms: leadMs + (from.kind === 'ago' ? from.ms : config.poll.sweepMs) })
    }
  }
}

/** By how much our clock is ahead, by the explorer's own and by its newest block; 0 where it cannot be asked. */
async function readLead({ clock, log }: AppDeps, config: AppConfig): Promise<number> {
  const explorer = createExplorer({ ...config.explorer, clock, log })
  try {
    const { records } = await explorer.call(zoneBlocks, {}, { priority: 'urgent', attempts: 1 })
    // A block without a time, or none at all, says nothing.
    const newest = records.length === 0 ? Infinity : Math.max(...records.map(({ time }) => time ?? Infinity))
    return Math.min(clock.now() - newest, -(explorer.health().clockAheadMs ?? 0))
  } catch (error) {
    if (error instanceof MonitorError) return 0
    throw error
  } finally {
    await explorer.close()
  }
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
