import { decodeFinding, encodeFinding, keptFinding, toFound } from '../../src/alerts/findingJson.ts'
import { alertTable } from '../../src/alerts/store/alertRows.ts'
import type { Finding } from '../../src/bridge/finding.ts'
import type { Database } from '../../src/store/database.ts'
import { packed, type Row } from '../../src/store/table.ts'

/** The finding of a row of alerts. */
export function readFinding(row: Row): Finding {
  return decodeFinding(packed.read(row['finding']) ?? '')
}

/** The same as JSON text, from the cell alone. */
export function findingText(cell: Row[string] | undefined): string {
  return encodeFinding(decodeFinding(packed.read(cell) ?? ''))
}

/** What was found holds no more, of all alerts. */
export function endFindings(db: Database): void {
  for (const row of alertTable.all(db, 'SELECT * FROM alerts')) {
    const { finding } = toFound({ ...keptFinding(row), isOver: true })
    db.prepare('UPDATE alerts SET finding = ?, is_over = 1 WHERE id = ?').run(finding, row.id)
  }
}
