import { test } from 'vitest'
import { expectWhole } from '../support/expectWhole.ts'

test('the program finds all that it reads beside its code', () => expectWhole())
