CREATE TABLE `accounts` (
	`repo_id` integer NOT NULL,
	`account_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`repo_id`, `account_id`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `rate_limits` (
	`login` text PRIMARY KEY NOT NULL,
	`request_limit` integer NOT NULL,
	`requests_left` integer NOT NULL,
	`resets_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `accounts` (`repo_id`, `account_id`, `created_at`)
SELECT `repo_id`, CAST(substr(`feed`, 9) AS integer), `updated_at` FROM `poll_cursors` WHERE `feed` GLOB 'account:*';
--> statement-breakpoint
INSERT OR REPLACE INTO `rate_limits` (`login`, `request_limit`, `requests_left`, `resets_at`, `updated_at`)
SELECT
	json_extract(`cursor`, '$.login'),
	json_extract(`cursor`, '$.limit'),
	json_extract(`cursor`, '$.left'),
	json_extract(`cursor`, '$.resetsAt'),
	`updated_at`
FROM `poll_cursors` WHERE `feed` = 'rate_left' AND json_valid(`cursor`) ORDER BY `updated_at`;
--> statement-breakpoint
DELETE FROM `poll_cursors` WHERE `feed` = 'rate_left' OR `feed` GLOB 'account:*';
