import { describe, expect, it } from '@jest/globals';
import { loadPacks } from '../../../skill/pack/load-packs.js';
import { packFinding } from './pack-finding.js';

describe(packFinding.name, () => {
  it('lists version, skills and variables of a pack', async () => {
    const [invoice, echo] = await loadPacks(['invoice', 'echo']);
    expect(invoice && packFinding(invoice).text).toMatch(
      /^Pack invoice \d+\.\d+\.\d+: .*validate_invoice.*; variables .*APPROVAL_THRESHOLD/,
    );
    expect(echo && packFinding(echo).text).toMatch(/^Pack echo \d+\.\d+\.\d+: echo$/);
  });
});
