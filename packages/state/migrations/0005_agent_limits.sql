CREATE TABLE `agent_limits` (
	`adapter` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`reason` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `worker_leases` (
	`worker_id` text PRIMARY KEY NOT NULL,
	`host` text NOT NULL,
	`pid` integer NOT NULL,
	`since` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `agent_limits` (`adapter`, `since`, `until`, `reason`)
SELECT substr(`name`, 7), `since`, `expires_at`, `holder_id` FROM `scheduler_leases` WHERE `name` GLOB 'limit/*';
--> statement-breakpoint
INSERT INTO `worker_leases` (`worker_id`, `host`, `pid`, `since`, `expires_at`)
SELECT
	substr(`name`, 8),
	rtrim(rtrim(`holder_id`, '0123456789'), ':'),
	CAST(substr(`holder_id`, length(rtrim(`holder_id`, '0123456789')) + 1) AS integer),
	`since`,
	`expires_at`
FROM `scheduler_leases` WHERE `name` GLOB 'worker/*';
--> statement-breakpoint
DROP TABLE `scheduler_leases`;
