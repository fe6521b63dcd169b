import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { hash, toRecord } from '../../support/records.ts'
import { runCommand } from '../../unit/cli/testIo.ts'

const token = `0x${'aa'.repeat(20)}`
const credited = `0x${'cc'.repeat(20)}`

/** A configuration without the token's contract on the zone chain, and a ledger with deposits that show it. */
function createProject() {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-propose-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'spanwatch.yaml')
  writeFileSync(
    path,
    `explorer: { baseUrl: "http://127.0.0.1:9", chains: { main: MAINCHAIN, zone: ZONE_CHAIN } }
state: ./state
bridge: { tokens: [ { address: "${token}", symbol: USDC, decimals: 6 } ] }
`,
  )
  return { path, state: join(folder, 'state') }
}

function fill(state: string): void {
  const db = openDatabase(join(state, 'ledger.sqlite'))
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  for (let n = 0; n < 4; n += 1) {
    const zoneHash = hash(`zone ${n}`)
    const times = { mainTime: 1_000_000, zoneTime: 1_005_000 }
    ledger.recordAnswer(
      [
        toRecord({
          ...times,
          id: `${n}`,
          direction: 'MainToZone',
          crossType: 'Deposit',
          token,
          mainHash: hash(`main ${n}`),
          zoneHash,
        }),
      ],
      1_010_000,
    )
    ledger.recordEvidence(
      [
        {
          chain: 'zone',
          hash: zoneHash,
          source: 'E9',
          requestedAt: 1_020_000,
          status: 'success',
          errorMessage: '',
          moves: null,
          action: JSON.stringify({ type: 'deposit', token: credited }),
        },
      ],
      1_020_000,
    )
  }
  db.close()
}

test('check names the contract on the zone chain that matched deposits show, and needs no ledger', async () => {
  const { path, state } = createProject()
  const before = await runCommand(['check', '-c', path])
  expect(before).toMatchObject({ exitCode: 0, out: expect.not.stringContaining('found in the ledger') })
  mkdirSync(state, { mode: 0o700 })
  fill(state)
  const { exitCode, out } = await runCommand(['check', '-c', path])
  expect(exitCode).toBe(0)
  expect(out).toContain(`${token}: 4 of 4 matched deposits were credited by ${credited}`)
  expect(out).toContain(`zoneAddress: "${credited}"`)
})
