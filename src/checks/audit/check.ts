import { destinationLeg, type Transfer } from '../../bridge/transfer.ts'
import type { Check } from '../../kernel/check.ts'
import { createRecordLookup, readControl } from '../../kernel/reads/recordLookup.ts'
import { createMissingRecords } from '../../ledger/transfers/missingRecords.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { type AuditPart, givenAudit } from './facts.ts'
import { ledgerIncomplete } from './incomplete.ts'
import { noteListed, noteTransfers, openListings, readListed } from './listings.ts'
import { lookAgain } from './pollLacks.ts'
import { createAuditPoll, readProgress } from './pollList.ts'
import { createZoneAuditPoll, taughtTickMs, zoneTickMs } from './pollZone.ts'
import { createZoneLogsPoll } from './pollZoneLogs.ts'
import { createAuditReads } from './reads.ts'
import { addLack, dropLack, listUnlistedNames, summarizeTold, toUnlistedLack } from './store.ts'
import { purgeZoneAudit } from './zoneStore.ts'

/** The audits: the list by ranges against the ledger, a sample of the zone's blocks, and what follows from both. */
export const audit: Check<AuditPart> = {
  name: 'audit',
  kinds: [ledgerIncomplete],
  given: givenAudit,
  open(kernel) {
    const { config, db, horizons, ledger } = kernel
    const { poll } = config
    const listings = openListings(kernel)
    horizons.follow(() => readListed(listings))
    // Kept in memory: a look into the table for every transfer that changes would cost more than recording it.
    let names: Set<string> | null = null
    const unlisted = () => (names ??= new Set(listUnlistedNames(db)))
    const contracts = config.zoneRpc?.contracts ?? []
    const rpc = contracts.length === 0 ? null : kernel.rpcs.zoneRpc
    const isWhole = rpc !== null
    const lookUp = createRecordLookup({
      ...kernel,
      readControl: () =>
        readControl(ledger, createMissingRecords(db, (key) => ledger.seenAt(key)).findControl()),
    })
    const asking = { ...kernel, reads: createAuditReads(kernel), isWhole }
    return {
      pollers: [
        { name: 'audit', schedule: poll.audit, isBackground: true, run: createAuditPoll(asking) },
        {
          name: 'auditChecks',
          isBackground: true,
          schedule: poll.openTransfers,
          run: (signal) => lookAgain({ ...kernel, listings, lookUp }, signal),
        },
        {
          name: 'zoneAudit',
          isBackground: true,
          schedule: isWhole ? taughtTickMs : zoneTickMs,
          run: createZoneAuditPoll(asking),
        },
        ...(rpc === null
          ? []
          : [
              {
                name: 'zoneLogs',
                isBackground: true,
                schedule: zoneTickMs,
                run: createZoneLogsPoll({ ...kernel, rpc, contracts }),
              },
            ]),
      ],
      onTransfers(changed, ceased, now) {
        for (const key of ceased) if (unlisted().delete(key)) dropLack(db, key)
        for (const transfer of changed) noteUnlisted(db, unlisted(), transfer, now)
        noteTransfers(listings, changed, ceased)
      },
      onRecords: (recorded, now) => (noteListed(listings, recorded, now), []),
      facts: () => ({
        incomplete: summarizeTold(db).map((told) => ({
          ...told,
          method: methodOf(db, told.source, isWhole),
        })),
      }),
      prune: (now) => purgeZoneAudit(db, now - config.retention.transfersMs),
    }
  },
}

function methodOf(db: Database, source: string, isWhole: boolean): string {
  if (source === 'zone') return isWhole ? 'every zone block, by its logs' : 'zone blocks, sampled'
  if (source === 'event') return 'events of the bridge contracts'
  const { filter } = readProgress(db)
  if (filter === null || filter === 'none')
    return 'the list by pages, back in time: its height filter does not work'
  return `the list by ${filter} height`
}

/** A transfer that the chains alone show is watched until its record comes. */
function noteUnlisted(db: Database, known: Set<string>, transfer: Transfer, now: UnixMs): void {
  const { key, isListed, state } = transfer
  if (isListed || state !== 'pending' || destinationLeg(transfer) !== null) {
    if (known.delete(key)) dropLack(db, key)
    return
  }
  known.add(key)
  addLack(db, toUnlistedLack(transfer, now))
}
