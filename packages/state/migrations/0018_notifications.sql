CREATE TABLE `notify_channels` (
	`channel` text PRIMARY KEY NOT NULL,
	`event_id` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`wait_since` integer DEFAULT 0 NOT NULL,
	`wait_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE `spend` ADD `adapter` text;--> statement-breakpoint
ALTER TABLE `spend` ADD `model` text;--> statement-breakpoint
ALTER TABLE `spend` ADD `cached_tokens` integer;--> statement-breakpoint
ALTER TABLE `spend` ADD `cost_source` text;--> statement-breakpoint
ALTER TABLE `spend` ADD `duration_ms` integer;--> statement-breakpoint
UPDATE `spend` SET `cost_source` = 'agent' WHERE `cost_usd` > 0;
