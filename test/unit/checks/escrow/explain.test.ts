import { expect, test } from 'vitest'
import { listExplaining } from '../../../../src/checks/escrow/explain.ts'
import { openEscrowWatch } from '../../../../src/checks/escrow/watch.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { createTestKernel } from '../support.ts'

test('what left in one transaction is explained by all of its 600 payouts', () => {
  const kernel = createTestKernel()
  const payouts = Array.from({ length: 600 }, (_, n) =>
    toRecord({ zoneEventIndex: `${n}`, targetAddress: `0xb${n}` }),
  )
  kernel.commit({ answers: [payouts] })
  const watch = openEscrowWatch(kernel)
  expect(listExplaining({ ...kernel, watch }, hash('main'))).toHaveLength(600)
})
