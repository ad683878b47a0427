import { IsOptional, IsString, IsUrl, Matches, registerDecorator, ValidateIf } from 'class-validator';
import { SkillSettings } from '@parley/sdk';

/** The variables of the invoice skills; docs/invoices.md explains them. */
@SkillSettings()
export class InvoiceSettings {
  @Matches(/^\d{1,15}(\.\d{1,4})?$/, { message: 'must be an amount such as 10000 or 2500.50' })
  readonly APPROVAL_THRESHOLD: string = '10000';

  @IsOptional()
  @Matches(/^[A-Z]{3}=\d{1,15}(\.\d{1,4})?(;[A-Z]{3}=\d{1,15}(\.\d{1,4})?)*$/, {
    message: 'must have the form USD=12000;JPY=1500000',
  })
  @NamesEachCurrencyOnce()
  readonly APPROVAL_THRESHOLDS?: string;

  @ValidateIf(({ APPROVERS, APPROVER_LOGIN_URL }: InvoiceSettings) => (APPROVERS ?? APPROVER_LOGIN_URL) !== undefined)
  @IsUrl(
    { require_tld: false, protocols: ['http', 'https'], require_protocol: true },
    { message: 'must be an http or https address; APPROVERS has no effect without it: set both, or neither' },
  )
  readonly APPROVER_LOGIN_URL?: string;

  @IsOptional()
  @IsString()
  readonly APPROVERS?: string;
}

function NamesEachCurrencyOnce(): PropertyDecorator {
  return (target, propertyName) => {
    registerDecorator({
      name: 'namesEachCurrencyOnce',
      target: target.constructor,
      propertyName: String(propertyName),
      options: { message: 'names a currency twice' },
      validator: {
        validate: (text: unknown) => {
          const currencies = String(text)
            .split(';')
            .map((entry) => entry.split('=')[0]);
          return new Set(currencies).size === currencies.length;
        },
      },
    });
  };
}
