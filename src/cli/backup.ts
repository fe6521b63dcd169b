import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MonitorError } from '../lib/errors.ts'
import { backupLedger } from '../store/backupLedger.ts'
import { ledgerPath } from '../store/state.ts'
import { checkFolder } from '../store/stateFolder.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'

export interface BackupCommand {
  readonly config: string
  readonly to?: string
}

/** `spanwatch backup`: a copy of the ledger, whole, while the daemon runs. */
export async function backup(io: Io, options: BackupCommand): Promise<number> {
  const { config } = readConfig(io, options.config, { needs: [] })
  const path = ledgerPath(config.stateDir)
  if (!existsSync(path)) throw new MonitorError('not_found', `There is no ledger at ${path} yet.`)
  checkFolder(config.stateDir)
  const stamp = new Date(io.clock.now()).toISOString().replace(/[:.]/g, '-')
  const target = resolve(options.to ?? join(config.stateDir, `ledger-backup-${stamp}.sqlite`))
  let shown = 0
  await backupLedger(path, target, ({ totalPages, remainingPages }) => {
    const percent = Math.floor((100 * (totalPages - remainingPages)) / Math.max(totalPages, 1))
    if (percent < shown + 10) return
    shown = percent
    io.err(`${percent} %\n`)
  })
  io.out(`${target} (${statSync(target).size} bytes)\n`)
  return exitCodes.fine
}
