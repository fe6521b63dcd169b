import { z } from 'zod'
import type { AppConfig } from '../kernel/settings.ts'
import { MonitorError } from '../lib/errors.ts'
import type { Database } from '../store/database.ts'
import { readMeta, saveMeta } from '../store/meta.ts'
import { parseJson } from '../store/table.ts'

const ownerSchema = z.object({
  host: z.string(),
  chains: z.object({ main: z.string(), zone: z.string() }),
  contracts: z.array(z.string()),
})

/** Which bridge a ledger is of. */
type Owner = z.output<typeof ownerSchema>

const name = 'owner'

/**
 * Notes in a ledger which bridge it is of, and refuses one of another bridge: what it knows would be judged by the
 * wrong chains, and what is there now would be mixed into it. A ledger from before that was noted takes the present
 * configuration. An explorer that moved to another host, and contracts that were added, are the same bridge.
 * @param adopt whoever starts it says that it is right
 * @throws MonitorError `state.invalid`
 */
export function claimLedger(
  db: Database,
  config: Pick<AppConfig, 'bridge' | 'explorer'>,
  adopt: boolean,
): { readonly moved: string | null } {
  const now = toOwner(config)
  const saved = readOwner(db)
  if (!adopt) assertOwner(db, config)
  if (saved === null || !isSame(saved, now)) db.transaction(() => saveMeta(db, name, JSON.stringify(now)))
  const hasMoved = saved !== null && saved.host !== now.host
  return { moved: hasMoved ? `the explorer moved from ${saved.host} to ${now.host}` : null }
}

/**
 * The same of a ledger that another node writes: what it is of is known before this one watches by it.
 * @throws MonitorError `state.invalid`
 */
export function assertOwner(db: Database, config: Pick<AppConfig, 'bridge' | 'explorer'>): void {
  const now = toOwner(config)
  const saved = readOwner(db)
  const difference = saved === null ? null : findDifference(saved, now)
  if (saved !== null && difference !== null) throw toAnother(saved, now, difference)
}

function readOwner(db: Database): Owner | null {
  return ownerSchema.safeParse(parseJson(readMeta(db, name) ?? '')).data ?? null
}

function toOwner({ bridge, explorer }: Pick<AppConfig, 'bridge' | 'explorer'>): Owner {
  return {
    host: new URL(explorer.baseUrl).host,
    chains: { main: explorer.chains.main, zone: explorer.chains.zone },
    contracts: bridge.contracts.toSorted(),
  }
}

function findDifference(saved: Owner, now: Owner): string | null {
  if (saved.chains.main !== now.chains.main || saved.chains.zone !== now.chains.zone)
    return 'explorer.chains differ'
  const bothName = saved.contracts.length > 0 && now.contracts.length > 0
  const shares = now.contracts.some((contract) => saved.contracts.includes(contract))
  return bothName && !shares ? 'bridge.contracts share none' : null
}

function isSame(saved: Owner, now: Owner): boolean {
  return JSON.stringify(saved) === JSON.stringify(now)
}

function toAnother(saved: Owner, now: Owner, difference: string): MonitorError {
  const describe = ({ host, chains, contracts }: Owner) =>
    `${host}, ${chains.main} and ${chains.zone}, contracts ${contracts.join(' ') || 'not named'}`
  return new MonitorError(
    'state.invalid',
    `This ledger is of another bridge (${difference}): it was written for ${describe(saved)}; this configuration is for ${describe(now)}. Give this one a folder of its own with state: (of several nodes, another replicas.bridge as well), or, if it is the same bridge all the same, start it once with --adopt-state.`,
  )
}
